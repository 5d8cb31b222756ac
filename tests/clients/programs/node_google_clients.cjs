// Node's googleapis on mail, calendars, files and documents, and six clients of Google Cloud.
// Prints what each call answers, or the error that it met.
'use strict';
const { google } = require('googleapis');
const { BigQuery } = require('@google-cloud/bigquery');
const { Firestore } = require('@google-cloud/firestore');
const { PubSub } = require('@google-cloud/pubsub');
const { SecretManagerServiceClient } = require('@google-cloud/secret-manager');
const { Storage } = require('@google-cloud/storage');
const { CloudTasksClient } = require('@google-cloud/tasks');

const projectId = 'p';
const scopes = ['https://www.googleapis.com/auth/cloud-platform'];
const mail = (subject) => Buffer.from(
  `To: ann@example.com\r\nSubject: ${subject}\r\n\r\nSee you.`,
).toString('base64url');
const kept = {};

const calls = {
  async 'gmail send'() {
    const asked = { userId: 'me', requestBody: { raw: mail('Lunch') } };
    kept.mail = (await google.gmail('v1').users.messages.send(asked)).data.id;
    return Boolean(kept.mail);
  },
  async 'gmail get'() {
    const { data } = await google.gmail('v1').users.messages.get({ userId: 'me', id: kept.mail });
    return data.payload.headers.find(({ name }) => name === 'Subject').value;
  },
  async 'gmail list'() {
    const { data } = await google.gmail('v1').users.messages.list({ userId: 'me', q: 'subject:lunch' });
    return data.messages.length;
  },
  async 'gmail draft'() {
    const { drafts } = google.gmail('v1').users;
    const { data } = await drafts.create({ userId: 'me', requestBody: { message: { raw: mail('Tea') } } });
    return (await drafts.send({ userId: 'me', requestBody: { id: data.id } })).data.labelIds;
  },
  async 'gmail label'() {
    const { labels, messages } = google.gmail('v1').users;
    const { data } = await labels.create({ userId: 'me', requestBody: { name: 'Plans' } });
    const requestBody = { addLabelIds: [data.id] };
    return (await messages.modify({ userId: 'me', id: kept.mail, requestBody })).data.labelIds.includes(data.id);
  },
  async 'calendar insert'() {
    const at = (hour) => ({ dateTime: `2030-01-07T${hour}:00:00Z` });
    const requestBody = { summary: 'Lunch', start: at('12'), end: at('13') };
    kept.event = (await google.calendar('v3').events.insert({ calendarId: 'primary', requestBody })).data.id;
    return Boolean(kept.event);
  },
  async 'calendar list'() {
    const asked = { calendarId: 'primary', timeMin: '2030-01-01T00:00:00Z', singleEvents: true, orderBy: 'startTime' };
    return (await google.calendar('v3').events.list(asked)).data.items.map(({ summary }) => summary);
  },
  async 'calendar patch'() {
    const asked = { calendarId: 'primary', eventId: kept.event, requestBody: { location: 'Room 1' } };
    return (await google.calendar('v3').events.patch(asked)).data.location;
  },
  async 'calendar quickAdd'() {
    return (await google.calendar('v3').events.quickAdd({ calendarId: 'primary', text: 'Tea tomorrow 4pm' })).data.summary;
  },
  async 'calendar freebusy'() {
    const requestBody = { timeMin: '2030-01-07T00:00:00Z', timeMax: '2030-01-08T00:00:00Z', items: [{ id: 'primary' }] };
    return (await google.calendar('v3').freebusy.query({ requestBody })).data.calendars.primary.busy.length;
  },
  async 'drive create'() {
    const media = { mimeType: 'text/plain', body: 'hello' };
    kept.file = (await google.drive('v3').files.create({ requestBody: { name: 'a.txt' }, media })).data.id;
    return Boolean(kept.file);
  },
  async 'drive get'() {
    return (await google.drive('v3').files.get({ fileId: kept.file, alt: 'media' })).data;
  },
  async 'drive list'() {
    return (await google.drive('v3').files.list({ q: "name = 'a.txt'" })).data.files.length;
  },
  async 'drive permission'() {
    const requestBody = { type: 'user', role: 'reader', emailAddress: 'ann@example.com' };
    return (await google.drive('v3').permissions.create({ fileId: kept.file, requestBody })).data.role;
  },
  async 'sheets append'() {
    const { spreadsheets } = google.sheets('v4');
    const spreadsheetId = (await spreadsheets.create({ requestBody: { properties: { title: 'Costs' } } })).data.spreadsheetId;
    const requestBody = { values: [['tea', 2], ['cake', 3], ['all', '=SUM(B1:B2)']] };
    await spreadsheets.values.append({ spreadsheetId, range: 'A1', valueInputOption: 'USER_ENTERED', requestBody });
    return (await spreadsheets.values.get({ spreadsheetId, range: 'B3' })).data.values;
  },
  async 'docs batchUpdate'() {
    const { documents } = google.docs('v1');
    const { documentId } = (await documents.create({ requestBody: { title: 'Notes' } })).data;
    const requests = [{ insertText: { location: { index: 1 }, text: 'Hello' } }];
    await documents.batchUpdate({ documentId, requestBody: { requests } });
    const { data } = await documents.get({ documentId });
    return data.body.content.at(-1).paragraph.elements[0].textRun.content;
  },
  async 'docs export'() {
    const { documentId } = (await google.docs('v1').documents.create({ requestBody: { title: 'Empty' } })).data;
    const { data } = await google.drive('v3').files.export({ fileId: documentId, mimeType: 'text/plain' });
    return typeof data;
  },
  async 'people create'() {
    const requestBody = { names: [{ givenName: 'Ann', familyName: 'Lee' }] };
    return Boolean((await google.people('v1').people.createContact({ requestBody })).data.resourceName);
  },
  async 'people list'() {
    const asked = { resourceName: 'people/me', personFields: 'names' };
    return (await google.people('v1').people.connections.list(asked)).data.connections.length;
  },
  async 'tasks insert'() {
    const { tasks } = google.tasks('v1');
    await tasks.insert({ tasklist: '@default', requestBody: { title: 'Shop' } });
    return (await tasks.list({ tasklist: '@default' })).data.items.map(({ title }) => title);
  },
  async storage() {
    const [bucket] = await new Storage({ projectId }).createBucket('node-files');
    await bucket.file('a.txt').save('hello');
    const [[file]] = await bucket.getFiles();
    return String((await file.download())[0]);
  },
  async pubsub() {
    const client = new PubSub({ projectId });
    const [topic] = await client.createTopic('node-topic');
    const [subscription] = await topic.createSubscription('node-subscription');
    const heard = new Promise((resolve, reject) => {
      subscription.on('message', (message) => { message.ack(); resolve(String(message.data)); });
      subscription.on('error', reject);
    });
    await topic.publishMessage({ data: Buffer.from('hi') });
    const found = await heard;
    await subscription.close();
    await client.close();
    return found;
  },
  async firestore() {
    const client = new Firestore({ projectId });
    const cities = client.collection('cities');
    await cities.doc('rome').set({ people: 3 });
    const grown = await client.runTransaction(async (transaction) => {
      const found = await transaction.get(cities.doc('rome'));
      transaction.update(cities.doc('rome'), { people: found.get('people') + 1 });
      return found.get('people') + 1;
    });
    const seen = await new Promise((resolve, reject) => {
      const stop = cities.where('people', '>', 1).onSnapshot((found) => { stop(); resolve(found.size); }, reject);
    });
    const total = (await cities.count().get()).data().count;
    await client.terminate();
    return [grown, seen, total];
  },
  async 'secret-manager'() {
    const client = new SecretManagerServiceClient({ projectId });
    const secret = { replication: { automatic: {} } };
    const [made] = await client.createSecret({ parent: `projects/${projectId}`, secretId: 'node', secret });
    await client.addSecretVersion({ parent: made.name, payload: { data: Buffer.from('open') } });
    const [version] = await client.accessSecretVersion({ name: `${made.name}/versions/latest` });
    await client.close();
    return String(version.payload.data);
  },
  async bigquery() {
    const client = new BigQuery({ projectId });
    const [dataset] = await client.createDataset('node');
    const [table] = await dataset.createTable('people', { schema: 'who:string,age:integer' });
    await table.insert([{ who: 'ann', age: 30 }]);
    const [rows] = await client.query('select who, age + 1 as next from node.people');
    return rows;
  },
  async tasks() {
    const client = new CloudTasksClient({ projectId });
    const parent = client.locationPath(projectId, 'us-central1');
    const [queue] = await client.createQueue({ parent, queue: { name: `${parent}/queues/node` } });
    const httpRequest = { url: 'https://example.com/work', httpMethod: 'POST' };
    const scheduleTime = { seconds: 4000000000 };
    await client.createTask({ parent: queue.name, task: { httpRequest, scheduleTime } }).catch((error) => {
      if (error.code !== 3) throw error;
    });
    const [queues] = await client.listQueues({ parent });
    await client.close();
    return queues.length;
  },
};

async function main() {
  google.options({ auth: new google.auth.GoogleAuth({ scopes }), retry: false });
  const found = {};
  for (const [name, call] of Object.entries(calls)) {
    found[name] = await call().catch((error) => `${error.code}: ${error.message}`);
  }
  console.log(JSON.stringify(found));
  process.exit(0);
}

main();

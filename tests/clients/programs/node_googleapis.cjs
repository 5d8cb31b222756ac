// The googleapis package for Node: org units, a policy and a log, with default credentials.
// Asks for a policy once more for each refusal that the argument expects, and tells them.
'use strict';
const { google } = require('googleapis');

const scopes = ['https://www.googleapis.com/auth/cloud-platform'];
const customerId = 'my_customer';

async function main() {
  const auth = new google.auth.GoogleAuth({ scopes });
  google.options({ auth });
  const { orgunits } = google.admin('directory_v1');
  const requestBody = { name: 'Night', parentOrgUnitPath: '/' };
  const made = (await orgunits.insert({ customerId, requestBody })).data;
  const root = (await orgunits.get({ customerId, orgUnitPath: '/' })).data;
  await orgunits.delete({ customerId, orgUnitPath: 'Night' });
  const gone = await refusal(() => orgunits.get({ customerId, orgUnitPath: 'Night' }));
  const { policies } = google.chromepolicy('v1').customers;
  const asked = { policySchemaFilter: 'chrome.users.IncognitoMode', policyTargetKey: {} };
  asked.policyTargetKey.targetResource = `orgunits/${root.orgUnitId.replace(/^id:/, '')}`;
  const customer = 'customers/my_customer';
  const resolve = () => policies.resolve({ customer, requestBody: asked });
  const resolved = (await resolve()).data.resolvedPolicies.length;
  const { entries } = google.logging('v2');
  const resourceNames = [`projects/${await auth.getProjectId()}`];
  const written = { requestBody: { resourceNames, pageSize: 3 } };
  const listed = (await entries.list(written)).data.entries.length;
  const refusals = [];
  const { signOut } = google.admin('directory_v1').users;
  for (let left = Number(process.argv[2]); left > 0; left -= 1) {
    refusals.push(await refusal(() => signOut.call(google.admin('directory_v1').users, { userKey: 'ada.lindqvist@example.com' })));
  }
  console.log(JSON.stringify({ made: made.orgUnitPath, gone, resolved, listed, refusals }));
}

async function refusal(ask) {
  try {
    await ask();
  } catch (error) {
    return [error.constructor.name, Number(error.code)];
  }
  return null;
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});

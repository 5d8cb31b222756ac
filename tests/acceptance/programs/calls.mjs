// What calls.py does, with Node's own fetch.
// Arguments: "fetch", the base URL, the path of the people, the list of calls.
import { readFileSync } from 'node:fs';

const [, , , base, people, calls] = process.argv;

async function ask(method, url, headers = {}, body = undefined) {
  const answer = await fetch(url, { method, headers, body, redirect: 'manual' });
  return [answer.status, Buffer.from(await answer.arrayBuffer())];
}

const answers = [];
for (const call of JSON.parse(readFileSync(calls, 'utf-8'))) {
  const body = Buffer.from(call.body, 'base64');
  const [status, content] = await ask(call.method, base + call.url, call.headers, body.length ? body : undefined);
  answers.push([status, content.toString('base64')]);
}

const root = base + people;
const found = [];
let token = '';
let pages = 0;
do {
  const query = token ? `?${new URLSearchParams({ pageToken: token })}` : '';
  const [status, body] = await ask('GET', `${root}/people${query}`);
  const page = status === 200 ? JSON.parse(body) : { people: [] };
  pages += 1;
  found.push(...page.people);
  token = page.nextPageToken ?? '';
} while (token && pages < 20);

let linked = 0;
for (let url = `${root}/people-by-link`; url && linked < 20;) {
  const [status, body] = await ask('GET', url);
  linked += status === 200 ? 1 : 0;
  url = status === 200 ? JSON.parse(body).next : '';
}

const joined = [];
for (const person of found) {
  for (const who of [person.id, person.manager]) {
    const [status, body] = await ask('GET', `${root}/people/${encodeURIComponent(who)}`);
    joined.push(status === 200 && JSON.parse(body).id === who);
  }
}
console.log(JSON.stringify({ answers, walk: { pages, people: found.length, linked, joined } }));

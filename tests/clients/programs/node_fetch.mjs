// Node's own fetch with a bearer token: a rule made, listed and deleted, a token looked at.
// Asks for an org unit once more for each refusal that the argument expects, and tells them.
const token = process.env.GOOGLE_OAUTH_ACCESS_TOKEN;
const rules = 'https://cloudidentity.googleapis.com/v1beta1/policies';
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };

async function ask(url, options = {}) {
  const answer = await fetch(url, { ...options, headers });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const listed = await ask(`${rules}?pageSize=100`);
const { name, ...rule } = listed.policies.find((each) => each.type !== 'SYSTEM');
const info = await ask(`https://oauth2.googleapis.com/tokeninfo?access_token=${token}`);
await ask(`${rules}/${name.split('/')[1]}`, { method: 'DELETE' });
const left = (await ask(`${rules}?pageSize=100`)).policies.length;
const refusals = [];
for (let times = Number(process.argv[2]); times > 0; times -= 1) {
  const answer = await fetch('https://cloudresourcemanager.googleapis.com/v3/folders/730000000001', { headers });
  if (!answer.ok) refusals.push([(await answer.json()).error.status, answer.status]);
}
console.log(JSON.stringify({ deleted: listed.policies.length - left, expires: Number(info.expires_in) > 0, refusals }));

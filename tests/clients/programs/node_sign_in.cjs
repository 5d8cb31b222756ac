// Node's google-auth-library: default credentials, then the sign-in of a person, with PKCE.
'use strict';
const { google } = require('googleapis');

const scopes = ['https://www.googleapis.com/auth/cloud-platform'];
const redirectUri = 'http://localhost:9/back';

async function main() {
  const auth = new google.auth.GoogleAuth({ scopes });
  const found = await auth.getClient();
  const buckets = await google.storage('v1').buckets.list({ project: 'p', auth });
  const client = new google.auth.OAuth2({ clientId: 'c1', clientSecret: 'mock', redirectUri });
  const { codeVerifier, codeChallenge } = await client.generateCodeVerifierAsync();
  const url = client.generateAuthUrl({
    access_type: 'offline',
    scope: ['openid', 'email'],
    prompt: 'none',
    code_challenge_method: 'S256',
    code_challenge: codeChallenge,
  });
  const led = await fetch(url, { redirect: 'manual' });
  const code = new URL(led.headers.get('location')).searchParams.get('code');
  const { tokens } = await client.getToken({ code, codeVerifier });
  const ticket = await client.verifyIdToken({ idToken: tokens.id_token, audience: 'c1' });
  console.log(JSON.stringify({
    kind: found.constructor.name,
    project: Boolean(await auth.getProjectId()),
    buckets: buckets.data.items.map((bucket) => bucket.name),
    email: ticket.getPayload().email,
    refresh: Boolean(tokens.refresh_token),
  }));
}

main();

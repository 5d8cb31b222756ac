// An agent that books flights with `fetch`; it knows nothing of a mock server.
const API = 'https://api.travel.example.com/v1';
const headers = { 'X-Api-Key': process.env.TRAVEL_API_KEY, 'Content-Type': 'application/json' };

async function ask(url, options = {}) {
  const answer = await fetch(url, { headers, ...options });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer;
}

async function cheapest(from, to, date) {
  let url = `${API}/flights?${new URLSearchParams({ from, to, date, per_page: 1 })}`;
  const flights = [];
  while (url) {
    const page = await ask(url);
    flights.push(...(await page.json()));
    url = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  }
  flights.sort((a, b) => a.price - b.price);
  return `${flights[0].id} for ${flights[0].price}`;
}

async function main(task) {
  if (process.argv[2] === 'liar') return 'EX102 for 171. Booked as B1. B7 is cancelled.';
  let found = /from (\w+) to (\w+) on ([\d-]+)/.exec(task);
  if (found) return cheapest(found[1], found[2], found[3]);
  found = /flight (\w+) for ([^,]+), (\S+), (\d+) seats/.exec(task);
  if (found) {
    const passenger = { name: found[2], email: found[3] };
    const body = JSON.stringify({ flightId: found[1], seats: Number(found[4]), passenger });
    const made = await (await ask(`${API}/bookings`, { method: 'POST', body })).json();
    return `Booked as ${made.id}.`;
  }
  found = /Cancel booking (\w+)/.exec(task);
  const done = await (await ask(`${API}/bookings/${found[1]}/cancel`, { method: 'POST' })).json();
  return `${found[1]} is ${done.status}.`;
}

let task = '';
for await (const chunk of process.stdin) task += chunk;
console.log(await main(task));

"""What Node before 24 is made to load first, so that its own `fetch` follows the proxy, too.

Node has a dispatcher for `fetch` built in, but does not hand out its class: it is found under a
well-known symbol once `fetch` has been touched. A new one of the same class, whose connections are
tunnels through the proxy, takes its place. No package is needed.
"""

NODE_PRELOAD = """\
'use strict';
// Lets the fetch of Node before 24 follow HTTPS_PROXY and NO_PROXY; later ones do so themselves.
const http = require('node:http');
const tls = require('node:tls');
const net = require('node:net');

const major = Number(process.versions.node.split('.')[0]);
const proxy = process.env.https_proxy || process.env.HTTPS_PROXY;
const direct = (process.env.no_proxy || process.env.NO_PROXY || '')
  .split(',').map((name) => name.trim().toLowerCase()).filter(Boolean);
const KEY = Symbol.for('undici.globalDispatcher.1');

function isDirect(host) {
  const name = host.toLowerCase().replace(/^\\[|\\]$/g, '');
  return direct.some((one) => one === '*' || name === one ||
    name.endsWith('.' + one.replace(/^\\*?\\./, '')));
}

function tunnel(options, callback) {
  const host = options.hostname;
  const secure = options.protocol === 'https:';
  const port = Number(options.port) || (secure ? 443 : 80);
  let done = false;
  const settle = (error, socket) => {
    if (!done) {
      done = true;
      callback(error, socket || null);
    }
  };
  const secured = (socket) => {
    const servername = options.servername || (net.isIP(host) ? undefined : host);
    const session = tls.connect({ socket, servername, ALPNProtocols: ['http/1.1'] });
    session.once('secureConnect', () => settle(null, session));
    session.once('error', settle);
  };
  if (isDirect(host)) {
    const socket = net.connect(port, host.replace(/^\\[|\\]$/g, ''));
    socket.once('error', settle);
    socket.once('connect', () => (secure ? secured(socket) : settle(null, socket)));
    return;
  }
  const to = new URL(proxy);
  const name = `${decodeURIComponent(to.username)}:${decodeURIComponent(to.password)}`;
  const headers = { host: `${host}:${port}` };
  if (to.username) {
    headers['proxy-authorization'] = 'Basic ' + Buffer.from(name).toString('base64');
  }
  const asked = http.request({
    host: to.hostname.replace(/^\\[|\\]$/g, ''), port: to.port || 80, method: 'CONNECT',
    path: `${host}:${port}`, headers, agent: false,
  });
  asked.once('error', settle);
  asked.once('connect', (answer, socket) => {
    if (answer.statusCode !== 200) {
      socket.destroy();
      settle(new Error(`proxy: ${answer.statusCode} ${answer.statusMessage}`));
    } else if (secure) {
      secured(socket);
    } else {
      settle(null, socket);
    }
  });
  asked.end();
}

if (proxy && major < 24 && typeof fetch === 'function') {
  try {
    fetch('data:,').catch(() => {}); // makes the dispatcher
    const Agent = globalThis[KEY].constructor;
    globalThis[KEY] = new Agent({ connect: tunnel });
  } catch (error) {
    process.emitWarning(`fetch does not follow the proxy: ${error.message}`);
  }
}
"""

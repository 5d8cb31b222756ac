// Tools inside an agent in JavaScript, answered by its session; the agent's code stays as it is.
// Copy this file into your project; it needs nothing but Node 20.6 or newer.
//
//   understudy run SUITE --input json --agent "command:node --import ./understudy-tools.mjs agent.mjs"
//
// Where no session says that it answers tools, by the variable UNDERSTUDY_TOOLS, nothing is changed. Else the
// place where a framework calls a tool's function is led to the session: the framework has read and checked the
// arguments by then, and treats what comes back as it treats every result. For each call the session answers,
// refuses, or lets the function run, and is told what came of it.

import { AsyncLocalStorage } from "node:async_hooks";
import http from "node:http";
import Module, { createRequire, register, syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";

const HOOKS = "?hooks";
const KEY = "understudy.tools";
const LEAD = `globalThis[Symbol.for("${KEY}")]`;

// The files of a framework, what says that a file calls tools, and how these calls are written instead.
const FRAMEWORKS = [
  {
    name: "AI SDK", // 5 and 6 bind the function, 7 hands the tool on
    files: /[\\/]ai[\\/]dist[\\/]index\.(m?js|cjs)$/,
    calls: [
      [/execute: (\w+)\.execute\.bind\(\1\),(\s+)input,/g, `execute: ${LEAD}.lead(toolName, $1.execute.bind($1)),$2input,`],
      [
        /execute: (\w+)\.execute\.bind\(\1\),(\s+)input: (\w+)\.input,/g,
        `execute: ${LEAD}.lead($3.toolName, $1.execute.bind($1)),$2input: $3.input,`,
      ],
      [/executeTool\(\{(\s+)tool,(\s+)input,/g, `executeTool({$1tool: ${LEAD}.leadTool(toolName, tool),$2input,`],
    ],
  },
  {
    name: "LangChain.js",
    files: /[\\/]@langchain[\\/]core[\\/]dist[\\/]tools[\\/]index\.(js|cjs)$/,
    calls: [
      [
        /await this\._call\(parsed, runManager, config\)/g,
        `await ${LEAD}.run(this.name, parsed, () => this._call(parsed, runManager, config))`,
      ],
    ],
  },
  {
    name: "OpenAI Agents",
    files: /[\\/]@openai[\\/]agents-core[\\/]dist[\\/]tool\.(mjs|js)$/,
    calls: [
      [
        /await options\.execute\(parsed, (\w+), (\w+)\)/g,
        `await ${LEAD}.run(name, parsed, () => options.execute(parsed, $1, $2))`,
      ],
    ],
  },
  {
    name: "Mastra", // its files are named after what is in them, and one of them defines tools
    files: /[\\/]@mastra[\\/]core[\\/]dist[\\/]tool[-\w]*\.(js|cjs)$/,
    calls: [[/const originalExecute = opts\.execute;/g, `const originalExecute = ${LEAD}.lead(opts.id, opts.execute);`]],
    anyFile: true,
  },
];

const PATIENCE_MS = 600_000;

/** The source of a file, with the calls of tools led to the session. */
export function led(file, source) {
  const framework = FRAMEWORKS.find((each) => each.files.test(file));
  if (!framework) return source;
  const changed = framework.calls.reduce((text, [call, instead]) => text.replace(call, instead), source);
  if (changed === source && !framework.anyFile)
    process.stderr.write(`understudy-tools: ${file} is of a version of ${framework.name} whose tools are not known; they are not led\n`);
  return changed;
}

/** The hook of Node that loads modules, in a thread of its own. */
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== "module" || loaded.source == null) return loaded;
  const file = url.split(/[?#]/)[0];
  if (!FRAMEWORKS.some((each) => each.files.test(file))) return loaded;
  return { ...loaded, source: led(file, Buffer.from(loaded.source).toString("utf8")) };
}

/** Leads the calls of tools to a session. */
export class Calls {
  #running = new AsyncLocalStorage();
  #watches = false;
  #url;

  constructor(url) {
    this.#url = new URL(url);
  }

  /** A function of a tool that asks the session first. */
  lead(name, execute) {
    return (input, ...rest) => this.run(name, input, () => execute(input, ...rest));
  }

  /** A tool whose function asks the session first. */
  leadTool(name, tool) {
    return Object.create(tool, { execute: { value: this.lead(name, tool.execute.bind(tool)), enumerable: true } });
  }

  /** What the session answers a call with, or what the tool returns. */
  async run(name, input, execute) {
    if (this.#running.getStore()?.name === name) return execute(); // its framework comes here twice
    const given = plain(input);
    const { status, told } = await this.#send("POST", name, given);
    if (status !== 200 || told === null || typeof told !== "object") throw errorOf(told);
    if (!("real" in told)) return told.result;
    if (!told.named) this.#watch();
    const escapes = [];
    const report = { call: told.real, arguments: given, escapes };
    try {
      const value = await this.#running.run({ name, escapes: told.named ? null : escapes }, async () => finished(await execute()));
      report.result = plain(value);
      const answered = await this.#send("PUT", name, report);
      const seen = answered.status === 200 ? answered.told?.result : report.result;
      return isDeepStrictEqual(seen, report.result) ? value : seen;
    } catch (error) {
      if ("result" in report) throw error;
      report.error = { type: error?.constructor?.name ?? "Error", message: String(error?.message ?? error) };
      await this.#send("PUT", name, report);
      throw error;
    }
  }

  #send(method, name, body) {
    const content = Buffer.from(JSON.stringify(body));
    const headers = { "content-type": "application/json", "content-length": content.length, "x-mock-tool": "1" };
    const { hostname, port, pathname } = this.#url;
    const target = `${pathname.replace(/\/$/, "")}/${encodeURIComponent(name)}`;
    return this.#running.exit(
      () =>
        new Promise((resolve, reject) => {
          const gone = (error) => reject(new Error(`the session that answers the tool '${name}' is gone: ${error.message}`));
          const asked = http.request({ hostname, port, path: target, method, headers, agent: false, timeout: PATIENCE_MS }, (answer) => {
            const parts = [];
            answer.on("data", (part) => parts.push(part)).on("error", gone);
            answer.on("end", () => {
              try {
                resolve({ status: answer.statusCode, told: JSON.parse(Buffer.concat(parts).toString("utf8") || "null") });
              } catch (error) {
                gone(error);
              }
            });
          });
          asked.on("timeout", () => asked.destroy(new Error("it does not answer"))).on("error", gone);
          asked.end(content);
        }),
    );
  }

  /** From now on, what a tool does that no case names is noted: connections, programs, files outside. */
  #watch() {
    if (this.#watches) return;
    this.#watches = true;
    watchProcess((text) => {
      const escapes = this.#running.getStore()?.escapes;
      if (text && escapes && !escapes.includes(text)) escapes.push(text);
    });
  }
}

// Each function of `fs` that changes a file: what it does, and which argument names the file.
const CHANGES = {
  writeFile: ["writes", 0],
  appendFile: ["writes", 0],
  createWriteStream: ["writes", 0],
  truncate: ["writes", 0],
  copyFile: ["writes", 1],
  cp: ["writes", 1],
  rename: ["renames", 0],
  unlink: ["removes", 0],
  rm: ["removes", 0],
  rmdir: ["removes", 0],
  mkdir: ["makes", 0],
};

function watchProcess(note) {
  const require = createRequire(import.meta.url);
  const [fs, net, programs] = ["node:fs", "node:net", "node:child_process"].map((name) => require(name));
  const before = (owner, name, told) => {
    const original = owner[name];
    if (typeof original !== "function") return;
    owner[name] = function (...given) {
      note(told(...given));
      return original.apply(this, given);
    };
  };
  for (const [name, [verb, place]] of Object.entries(CHANGES)) {
    const told = (...given) => (isOutside(given[place]) ? `${verb} ${given[place]}` : "");
    for (const [owner, called] of [[fs, name], [fs, `${name}Sync`], [fs.promises, name]]) before(owner, called, told);
  }
  const opened = (file, flags = "r") => {
    const writes = typeof flags === "number" ? flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR) : /[wa+]/.test(flags);
    return writes && isOutside(file) ? `writes ${file}` : "";
  };
  for (const [owner, name] of [[fs, "open"], [fs, "openSync"], [fs.promises, "open"]]) before(owner, name, opened);
  before(programs.ChildProcess.prototype, "spawn", (options) => `starts ${options?.file}`);
  for (const name of ["spawnSync", "execFileSync", "execSync"]) before(programs, name, (file) => `starts ${file}`);
  before(net.Socket.prototype, "connect", (...given) => {
    const first = Array.isArray(given[0]) ? given[0][0] : given[0];
    const { host = "localhost", port, path: socket } = typeof first === "object" ? first : { port: first, host: given[1] };
    const address = socket ?? `${host}:${port}`;
    return ownAddresses().has(address) ? "" : `connects to ${address}`;
  });
  syncBuiltinESMExports();
}

/** Where the session is, and its proxy. */
function ownAddresses() {
  const urls = [process.env.UNDERSTUDY_TOOLS, process.env.HTTPS_PROXY, process.env.HTTP_PROXY].filter(Boolean);
  return new Set(urls.filter((each) => URL.canParse(each)).map((each) => new URL(each).host));
}

function isOutside(file) {
  if (typeof file !== "string" && !(file instanceof URL) && !Buffer.isBuffer(file)) return false;
  const place = path.resolve(file instanceof URL ? file.pathname : String(file));
  const inside = path.resolve(process.env.WORKSPACE || process.cwd());
  return place !== "/dev/null" && !`${place}${path.sep}`.startsWith(`${inside}${path.sep}`);
}

/** The last value of a result that comes in parts, or the result. */
async function finished(value) {
  const parts = value?.[Symbol.asyncIterator]?.();
  if (!parts?.next) return value;
  for (let last; ; ) {
    const part = await parts.next();
    if (part.done) return part.value ?? last;
    last = part.value;
  }
}

/** A value as JSON has it; what JSON cannot hold as its text. */
function plain(value) {
  try {
    const text = JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each));
    return text === undefined ? null : JSON.parse(text);
  } catch {
    return String(value);
  }
}

/** The error that a session's error stands for, of the class that it names where JavaScript has it. */
function errorOf(told) {
  const message = String(told?.error?.message ?? JSON.stringify(told));
  const [, kind, text] = /^([\w.]+): ([\s\S]*)$/.exec(message) ?? [];
  const known = kind && globalThis[kind];
  return typeof known === "function" && (known === Error || known.prototype instanceof Error) ? new known(text) : new Error(message);
}

/** Lead the tools of every framework that is loaded from now on to a session. */
export function install(url) {
  const key = Symbol.for(KEY);
  if (globalThis[key]) return;
  globalThis[key] = new Calls(url);
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (source, file, ...rest) {
    return compile.call(this, typeof source === "string" ? led(file, source) : source, file, ...rest);
  };
  register(`${import.meta.url}${HOOKS}`);
}

if (process.env.UNDERSTUDY_TOOLS && !import.meta.url.endsWith(HOOKS)) install(process.env.UNDERSTUDY_TOOLS);

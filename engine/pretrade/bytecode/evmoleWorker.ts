import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** A function as evmole reports it. */
export interface EvmoleFunction {
  /** Without `0x`. */
  selector: string;
  arguments?: string;
  stateMutability?: string;
}

/** The functions of each code; null if evmole throws, with an error of its own or a WebAssembly trap. */
type Reply = EvmoleFunction[][] | null | 'ready';

/** Milliseconds for one contract. Honest code takes at most 15. Code that takes longer delays the analysis of other code. */
const maxTime = 500;
/** Milliseconds for the start of the thread. */
const maxStartTime = 20_000;

/** CommonJS in a string, so that it needs no file beside the service's bundle. */
const source = `
const { parentPort, workerData } = require('node:worker_threads');
const { contractInfo } = require(workerData);
const options = { selectors: true, arguments: true, stateMutability: true };
parentPort.on('message', (codes) => {
  let lists = null;
  try {
    lists = codes.map((code) => contractInfo(code, options).functions ?? []);
  } catch {}
  parentPort.postMessage(lists);
});
parentPort.postMessage('ready');
`;

let current: Promise<Worker> | undefined;
/** The end of the last job: a job's time starts when the worker is free. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs evmole in a thread, and ends the thread if it takes too long. evmole executes the code, and anyone can deploy code
 * that it executes for minutes; here that would stop the whole service.
 *
 * @returns undefined if evmole throws or takes too long
 */
export function runEvmole(codes: readonly string[]): Promise<EvmoleFunction[][] | undefined> {
  const job = last.then(() => run(codes)).catch(() => undefined);
  last = job;
  return job;
}

async function run(codes: readonly string[]): Promise<EvmoleFunction[][] | undefined> {
  current ??= start();
  const worker = await current.catch((error: unknown) => {
    current = undefined;
    throw error;
  });
  const reply = replyOf(worker, maxTime);
  worker.postMessage(codes);
  const lists = await reply;
  if (lists === undefined) {
    current = undefined;
    await worker.terminate();
  }
  return Array.isArray(lists) ? lists : undefined;
}

/** evmole takes 8 MiB of memory, so the thread is started on first use. */
async function start(): Promise<Worker> {
  const worker = new Worker(source, {
    eval: true,
    workerData: createRequire(import.meta.url).resolve('evmole'),
    // Without these, the thread would load the service's own modules and get a young generation as large as its.
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  worker.unref();
  // An error also emits `exit`, on which `replyOf` ends.
  worker.on('error', () => undefined);
  if ((await replyOf(worker, maxStartTime)) === 'ready') return worker;
  await worker.terminate();
  throw new Error('The thread for evmole did not start.');
}

/** The next message of the thread; undefined if it ends or takes too long. */
function replyOf(worker: Worker, time: number): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const end = (reply?: Reply) => {
      clearTimeout(timer);
      worker.off('message', end).off('exit', onExit);
      resolve(reply);
    };
    const onExit = () => end();
    // After a stall of this thread the reply may have arrived already; it is delivered before `setImmediate`.
    const timer = setTimeout(() => setImmediate(end), time);
    worker.once('message', end).once('exit', onExit);
  });
}

import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chargeL1 } from './l1Gas.ts';
import { blockOf, callAt, hexNumber, replyAt } from './lagRules.ts';
import { computeUnits } from './profiles.ts';
import { type JsonCall, type JsonReply, type ProfileRules, refusal } from './profileTypes.ts';
import { refuseLogs, writeReply } from './replyRules.ts';
import { applySimulationRules } from './simulationRules.ts';

/** What an endpoint was asked, since the last `reset`. */
export interface Usage {
  requests: number;
  calls: number;
  units: number;
  requestBytes: number;
  replyBytes: number;
}

export interface ProfileProxy {
  url: string;
  usage: Usage;
  reset(): void;
  close(): Promise<void>;
}

/** State of one account, which may have endpoints on several chains. */
export interface Account {
  /** Units that can be spent now, and when that was computed. */
  units: number;
  at: number;
  random: () => number;
  calls: number;
}

/** @param seed of every random choice of this account */
export function openAccount({ unitsPerSecond = 0 }: ProfileRules, seed: number): Account {
  let state = seed >>> 0;
  // mulberry32
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { units: unitsPerSecond, at: Date.now(), random, calls: 0 };
}

const noUsage = (): Usage => ({ requests: 0, calls: 0, units: 0, requestBytes: 0, replyBytes: 0 });

/** Starts an endpoint with the rules of a profile in front of a node. */
export async function startProfileProxy(
  target: string,
  rules: ProfileRules,
  account = openAccount(rules, 1),
): Promise<ProfileProxy> {
  const node = createPost(target);
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { 'content-type': 'text/plain' }).end(error.message);
    });
  });
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const parsed = JSON.parse(body) as JsonCall | JsonCall[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    const units = calls.reduce((sum, call) => sum + unitsOf(call), 0);
    const { usage } = proxy;
    usage.requests += 1;
    usage.calls += calls.length;
    usage.units += units;
    usage.requestBytes += Buffer.byteLength(body);
    const reply = (status: number, content: unknown, headers: Record<string, string> = {}) => {
      const text = JSON.stringify(content);
      usage.replyBytes += Buffer.byteLength(text);
      const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers };
      response.writeHead(status, head);
      if (rules.cutShare === undefined || account.random() >= rules.cutShare) response.end(text);
      else response.write(text.slice(0, text.length / 2), () => response.destroy());
    };
    if (rules.delayMs) await sleep(rules.delayMs);
    if (rules.status !== undefined) return reply(rules.status, { error: { code: rules.status, message: 'refused' } });
    const { failures, batch } = rules;
    if (failures && account.random() < failures.share) {
      const { status, retryAfterSeconds } = failures;
      const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      return reply(status, { error: { code: status, message: 'try again later' } }, headers);
    }
    if (batch && calls.length > batch.calls) {
      return reply(batch.status, { jsonrpc: '2.0', id: null, error: { code: batch.code, message: batch.message } });
    }
    const own = await answerAll(calls, rules, account, node);
    const replies = own.map((each, at) => writeReply(calls[at] as JsonCall, each, rules, account.random));
    const limited = replies.every((each) => 'error' in each && each.error.code === 429);
    reply(limited ? 429 : 200, Array.isArray(parsed) ? replies : replies[0]);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: ProfileProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    usage: noUsage(),
    reset() {
      proxy.usage = noUsage();
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections();
        server.close((error) => (error ? reject(error) : resolve()));
        node.close();
      }),
  };
  return proxy;
}

type Post = ReturnType<typeof createPost>;

/** The replies of a batch, in order; each call passes the rules by itself. */
async function answerAll(
  calls: readonly JsonCall[],
  rules: ProfileRules,
  account: Account,
  node: Post,
): Promise<JsonReply[]> {
  const head = needsHead(rules) ? await readHead(node) : 0n;
  const isArbitrum = rules.l1Gas !== undefined && (await readNumber(node, 'eth_chainId', [])) === 42_161n;
  const baseFee = isArbitrum ? await readBaseFee(node) : 0n;
  const lagOfRequest = rules.lag?.by === 'request' ? drawLag(rules.lag, account) : undefined;
  const planned = await Promise.all(
    calls.map(async (call) => {
      const lag = rules.lag ? (lagOfRequest ?? drawLag(rules.lag, account)) : 0;
      const own = head - BigInt(lag);
      const charged = rules.l1Gas && isArbitrum ? chargeL1(call, rules.l1Gas, baseFee) : call;
      const refused = spend(call, rules, account) ?? refuse(call, rules, head);
      const ruled = refused ?? ('method' in charged && rules.lag ? callAt(charged, own) : charged);
      const final = 'method' in ruled ? await simulate(ruled, rules, node) : ruled;
      return { call, own, final };
    }),
  );
  const sent = planned.flatMap(({ final }) => ('method' in final ? [final] : []));
  const answered = sent.length > 0 ? ((await node.send(sent.map((call, id) => ({ ...call, id })))) as JsonReply[]) : [];
  const byId = new Map(answered.map((reply) => [reply.id, reply]));
  let next = 0;
  let bytes = 0;
  return planned.map(({ call, own, final }) => {
    let reply = final as JsonReply;
    if ('method' in final) {
      const found = byId.get(next++);
      if (!found) throw new Error('The node returned no reply to a call.');
      reply = { ...found, id: call.id };
      if (rules.lag) reply = replyAt(call, reply, own);
    }
    if (rules.maxReplyBytes === undefined) return reply;
    bytes += JSON.stringify(reply).length;
    return bytes > rules.maxReplyBytes ? refusal(call, -32_003, 'response too large') : reply;
  });
}

const needsHead = ({ lag, pastBlocks, logs }: ProfileRules) =>
  lag !== undefined || pastBlocks !== undefined || logs !== undefined;

function drawLag({ blocks, every }: NonNullable<ProfileRules['lag']>, account: Account): number {
  account.calls += 1;
  const isBehind = every === undefined ? account.random() < 0.5 : account.calls % every === 0;
  return isBehind ? blocks : 0;
}

/** An error where the account has no units left. */
function spend(call: JsonCall, { unitsPerSecond }: ProfileRules, account: Account): JsonReply | undefined {
  if (unitsPerSecond === undefined) return undefined;
  const now = Date.now();
  account.units = Math.min(unitsPerSecond, account.units + ((now - account.at) * unitsPerSecond) / 1000);
  account.at = now;
  const units = unitsOf(call);
  if (units > account.units) {
    return refusal(call, 429, 'Your app has exceeded its compute units per second capacity.');
  }
  account.units -= units;
  return undefined;
}

const unitsOf = ({ method }: JsonCall) => computeUnits[method] ?? 20;

function refuse(call: JsonCall, rules: ProfileRules, head: bigint): JsonReply | undefined {
  const { overrides, simulation, pastBlocks, gasCap, logs } = rules;
  const refusedLogs = refuseLogs(call, logs, head);
  if (refusedLogs) return refusedLogs;
  if (simulation === 'refused' && call.method === 'eth_simulateV1') {
    return refusal(call, -32_601, 'the method eth_simulateV1 does not exist/is not available');
  }
  if (overrides === 'refused' && call.method === 'eth_call' && call.params.length > 2) {
    return refusal(call, -32_602, 'too many arguments, want at most 2');
  }
  const block = hexNumber(blockOf(call));
  if (pastBlocks && call.method !== 'eth_getBlockByNumber' && block !== undefined && block < head) {
    return refusal(call, -32_000, 'missing trie node: historical state is not available on this plan');
  }
  if (gasCap !== undefined && highestGas(call) > gasCap) {
    return refusal(call, -32_000, `gas limit ${highestGas(call)} exceeds the cap of ${gasCap}`);
  }
  return undefined;
}

function highestGas({ method, params }: JsonCall): number {
  const gasOf = (call: unknown) => Number(hexNumber((call as { gas?: unknown }).gas) ?? 0n);
  if (method === 'eth_call') return gasOf(params[0] ?? {});
  if (method !== 'eth_simulateV1') return 0;
  const { blockStateCalls } = params[0] as { blockStateCalls: { calls?: unknown[] }[] };
  return Math.max(0, ...blockStateCalls.flatMap(({ calls = [] }) => calls.map(gasOf)));
}

async function simulate(call: JsonCall, { simulation }: ProfileRules, node: Post): Promise<JsonCall | JsonReply> {
  if (call.method !== 'eth_simulateV1' || typeof simulation !== 'object') return call;
  const block = call.params[1] ?? 'latest';
  const [reply] = await node.send([{ jsonrpc: '2.0', id: 0, method: 'eth_getBlockByNumber', params: [block, false] }]);
  const header = reply && 'result' in reply ? (reply.result as { number: string; timestamp: string } | null) : null;
  if (!header) return refusal(call, -32_000, 'header not found');
  const base = { number: BigInt(header.number), timestamp: BigInt(header.timestamp) };
  const ruled = applySimulationRules(call, base, simulation.fillSeconds);
  // The numbers above are those after this block, so the simulation must start from it.
  return 'method' in ruled ? { ...ruled, params: [ruled.params[0], header.number] } : ruled;
}

async function readBaseFee(node: Post): Promise<bigint> {
  const params = ['latest', false];
  const [reply] = await node.send([{ jsonrpc: '2.0', id: 0, method: 'eth_getBlockByNumber', params }]);
  const header = reply && 'result' in reply ? (reply.result as { baseFeePerGas?: string }) : {};
  return hexNumber(header.baseFeePerGas) ?? 0n;
}

const readHead = (node: Post): Promise<bigint> => readNumber(node, 'eth_blockNumber', []);

async function readNumber(node: Post, method: string, params: unknown[]): Promise<bigint> {
  const [reply] = await node.send([{ jsonrpc: '2.0', id: 0, method, params }]);
  return (reply && 'result' in reply ? hexNumber(reply.result) : undefined) ?? 0n;
}

async function readBody(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function createPost(url: string) {
  const agent = new Agent({ keepAlive: true });
  return {
    send: (calls: readonly JsonCall[]): Promise<JsonReply[]> =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify(calls);
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        const sent = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
          readBody(response).then((text) => resolve(JSON.parse(text) as JsonReply[]), reject);
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

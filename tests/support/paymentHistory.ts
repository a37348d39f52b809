import { getAddress } from 'viem';
import { multicall3, type RpcCall, type RpcEndpoint, RpcTransportError } from '../../engine/index.ts';
import type { PaymentConfig, PaymentDecision, PaymentEvent } from '../../server/payments/index.ts';
import { domainSeparator } from '../../server/payments/networks/evm/authorization.ts';
import { EvmChain } from './evmChain.ts';
import { createEvmNode } from './evmNode.ts';
import { type openHistoryDatabase, type Replica, startReplica } from './paymentReplicas.ts';
import {
  asset,
  domain,
  headerOf,
  keyOf,
  payerOf,
  payTo,
  price,
  type SignedPayment,
  startMs,
} from './signedPayments.ts';
import type { VirtualTime } from './virtualTime.ts';

const feed = getAddress(`0x${'fd'.repeat(20)}`);
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** One event of a history. `payment`, `wallet` and `replica` are indexes. */
export type Step =
  | { kind: 'request'; payment: number; replica: number }
  | { kind: 'advance'; ms: number }
  /** Time in which blocks are mined. */
  | { kind: 'pass'; seconds: number }
  | { kind: 'mine' | 'mineEmpty' | 'stealNonce' | 'dropMempool' }
  | { kind: 'reorganise'; depth: number; keep: boolean }
  | { kind: 'thirdParty' | 'cancel'; payment: number }
  | { kind: 'withdraw' | 'give'; wallet: number }
  | { kind: 'restart'; replica: number; offersNetwork: boolean };

/** How the nodes of a history behave, until its last phase. */
export interface NodeFaults {
  /** Highest lag in blocks. */
  maxLag: number;
  /**
   * What reaches one node: a whole request, an item of it, or all calls of a method. The last is the rule of a gateway
   * with several pools of nodes.
   */
  lagsBy: 'request' | 'item' | 'method';
  /** Of 100 requests, those that are lost. */
  lossPercent: number;
  maxDelayMs: number;
  /** Replaces the drawn lags. */
  lagOf?: (call: RpcCall) => number;
}

export const noFaults: NodeFaults = { maxLag: 0, lagsBy: 'request', lossPercent: 0, maxDelayMs: 0 };

/** Numbers of one seed (mulberry32). */
function drawFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A response to one request. */
export interface Received {
  at: number;
  kind: 'served' | 'replayed' | 'refused';
  body?: string;
  status?: number;
  detail?: string;
  /** The newest block that a reply has shown to the service. */
  seenBlock: number;
  /** The number of reorganisations until then. */
  reorganisations: number;
}

interface HistoryOptions {
  seed: number;
  faults: NodeFaults;
  /** Milliseconds between blocks while time passes; default: two seconds. */
  blockMs?: number;
}

/** One history: a chain, replicas of the service, and what their callers received. */
export class PaymentHistory {
  readonly chain: EvmChain;
  readonly received: Received[][];
  readonly events: PaymentEvent[] = [];
  replicas: Replica[] = [];
  faults: NodeFaults;
  reorganisations = 0;
  /** By method; undefined: another lag for each call. */
  readonly #lags = new Map<string, number | undefined>();
  #seen = 0;
  #started = 0;
  readonly #blockMs: number;
  readonly #draw: (below: number) => number;
  readonly #headers: string[];
  readonly #pending = new Map<number, number>();

  private constructor(
    readonly time: VirtualTime,
    readonly store: Awaited<ReturnType<typeof openHistoryDatabase>>,
    readonly payments: readonly SignedPayment[],
    { seed, faults, blockMs = 2_000 }: HistoryOptions,
  ) {
    this.#blockMs = blockMs;
    this.#draw = drawFrom(seed);
    this.faults = faults;
    this.received = payments.map(() => []);
    this.#headers = payments.map(headerOf);
    const separator = domainSeparator(domain);
    this.chain = new EvmChain({ chainId: 8453, asset, multicall: multicall3, separator, now: time.now });
    for (const { authorization } of payments) this.chain.register(authorization);
  }

  /** @param balances of the wallets, in calls */
  static async open(
    time: VirtualTime,
    store: Awaited<ReturnType<typeof openHistoryDatabase>>,
    payments: readonly SignedPayment[],
    options: HistoryOptions & { balances: readonly number[]; replicas: number },
  ): Promise<PaymentHistory> {
    time.reset(startMs);
    await within(time, store.clear());
    const history = new PaymentHistory(time, store, payments, options);
    for (const [wallet, calls] of options.balances.entries())
      history.chain.give(payerOf(wallet), BigInt(calls) * price);
    history.chain.mine();
    for (let index = 0; index < options.replicas; index += 1) await history.start(index, true);
    return history;
  }

  async start(index: number, offersNetwork: boolean): Promise<void> {
    this.#started += 1;
    const { database } = this.store;
    const starting = startReplica({ database, now: this.time.now }, `replica ${this.#started}`, (ledger, watch) =>
      this.#configOf(ledger, watch, offersNetwork),
    );
    this.replicas[index] = await within(this.time, starting);
  }

  #configOf(
    ledger: PaymentConfig['ledger'],
    watch: (endpoint: RpcEndpoint) => RpcEndpoint,
    offersNetwork: boolean,
  ): PaymentConfig {
    const endpoint = createEvmNode(
      this.chain,
      () => this.#drawFaults(),
      (ms) => this.time.sleep(ms),
    );
    const base = {
      network: 'eip155:8453' as const,
      chainId: 8453,
      rpcUrls: ['http://node.test'],
      watchRpc: () => watch(endpoint),
      facilitatorKey: keyOf(7),
      payTo,
      asset,
      pricing: { feed: { address: feed, heartbeatSeconds: 3_600 } },
      domain: { name: 'USD Coin', version: '2' },
    };
    const noNode = { label: 'no node', send: () => Promise.reject(new RpcTransportError('There is no node.')) };
    const other = { ...base, network: 'eip155:137' as const, chainId: 137, watchRpc: () => noNode };
    const resource = { url: 'http://localhost/v1/quote', description: 'A quote', mimeType: 'application/json' };
    return {
      networks: [offersNetwork ? base : other],
      offers: [{ paid: 'quote', priceUsd: '0.02', resource }],
      ledger,
      now: this.time.now,
      logger: silent,
      onEvent: (event) => this.events.push(event),
      timings: { reconcileMs: 20_000, recheckMs: 10_000, gasWatchMs: 600_000 },
    };
  }

  #drawFaults() {
    const { maxLag, lagsBy, lossPercent, maxDelayMs, lagOf } = this.faults;
    const draw = this.#draw;
    const common = draw(maxLag + 1);
    const isLost = draw(100) < lossPercent;
    const lagOfCall = (call: RpcCall): number => {
      const lag = lagOf?.(call) ?? (lagsBy === 'request' ? common : this.#lagOfItem(call));
      if (call.method !== 'eth_sendRawTransaction') this.#seen = Math.max(this.#seen, this.chain.newest.number - lag);
      return lag;
    };
    const loss = isLost ? (['request', 'reply'] as const)[draw(2)] : undefined;
    return { lagOf: lagOfCall, loss, delayMs: maxDelayMs > 0 ? draw(maxDelayMs) : 0 };
  }

  #lagOfItem({ method }: RpcCall): number {
    const { maxLag, lagsBy } = this.faults;
    const any = this.#draw(maxLag + 1);
    if (lagsBy === 'item') return any;
    if (!this.#lags.has(method)) this.#lags.set(method, [0, maxLag, undefined][this.#draw(3)]);
    const ofMethod = this.#lags.get(method);
    return maxLag === 0 ? 0 : (ofMethod ?? any);
  }

  /** Sends a request with a payment; its response is recorded when it arrives. */
  request(payment: number, replica: number): void {
    const process = this.replicas[replica];
    if (!process?.isAlive()) return;
    this.#pending.set(payment, (this.#pending.get(payment) ?? 0) + 1);
    const input = JSON.stringify({ payment });
    const decided = process.service.decide({
      paid: 'quote',
      route: 'POST /v1/quote',
      canonicalInput: input,
      queryKey: input,
      paymentHeader: this.#headers[payment] as string,
    });
    void decided.then((decision) => this.#record(payment, process, decision));
  }

  async #record(payment: number, process: Replica, decision: PaymentDecision): Promise<void> {
    if (!process.isAlive()) return;
    const seen = { at: this.time.now(), seenBlock: this.#seen, reorganisations: this.reorganisations };
    this.#pending.set(payment, (this.#pending.get(payment) ?? 1) - 1);
    const received = this.received[payment] as Received[];
    if (decision.kind === 'refuse') {
      const { status, detail } = decision;
      received.push({ ...seen, kind: 'refused', status, detail });
      return;
    }
    if (decision.kind === 'replay') {
      received.push({ ...seen, kind: 'replayed', body: decision.answer.body });
      return;
    }
    const body = JSON.stringify({ payment, number: this.#draw(1_000_000) });
    const answer = await decision.complete({ status: 200, contentType: 'application/json', body });
    received.push({ ...seen, kind: 'served', body: answer.body });
  }

  async run(step: Step): Promise<void> {
    const { chain, payments } = this;
    switch (step.kind) {
      case 'request':
        this.request(step.payment, step.replica);
        return this.time.settle();
      case 'advance':
        return this.time.advance(step.ms);
      case 'pass':
        return this.pass(step.seconds);
      case 'reorganise':
        this.reorganisations += 1;
        return chain.reorganise(step.depth, step.keep);
      case 'thirdParty':
        return chain.useByThirdParty((payments[step.payment] as SignedPayment).authorization);
      case 'cancel':
        return chain.cancel((payments[step.payment] as SignedPayment).authorization);
      case 'withdraw':
        return chain.withdraw(payerOf(step.wallet));
      case 'give':
        return chain.give(payerOf(step.wallet), price);
      case 'restart':
        await within(this.time, this.replicas[step.replica]?.kill() ?? Promise.resolve());
        return this.start(step.replica, step.offersNetwork);
      default:
        return chain[step.kind]();
    }
  }

  /** Mines a block every `blockMs` milliseconds. */
  async pass(seconds: number): Promise<void> {
    for (let passedMs = 0; passedMs < seconds * 1_000; passedMs += this.#blockMs) {
      await this.time.advance(this.#blockMs);
      this.chain.mine();
    }
  }
}

/** Advances the clock until work has ended. */
async function within<T>(time: VirtualTime, work: Promise<T>): Promise<T> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  await time.settle();
  for (let steps = 0; !isDone && steps < 10_000; steps += 1) await time.advance(5);
  return work;
}

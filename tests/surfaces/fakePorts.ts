import type {
  Engine,
  PretradeAnswer,
  PretradeChecker,
  PretradeQuery,
  QuoteAnswer,
  QuoteQuery,
  QuoteRequest,
} from '../../engine/index.ts';
import { catalogue } from '../../router/index.ts';
import type { PaymentAttempt, PaymentDecision, PaymentService } from '../../server/payments/index.ts';

// Fakes of the engine, the pretrade check and the payment service, so that surface tests need no chain. They record
// calls and return values that tests set. The journey tests use the real modules.

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** An answer with every type of value. `amountOut` exceeds the range of a JSON number. */
export const fakeAnswer: QuoteAnswer = {
  chain: 'base',
  tokenIn: weth,
  tokenOut: usdc,
  amountIn: 1_500_000_000_000_000_000n,
  amountOut: 90_071_992_547_409_931_234n,
  executablePrice: 2997.45,
  spotPrice: null,
  priceImpactBps: null,
  depthAtSize: 42.5,
  worstCaseSlippageBps: null,
  route: {
    dex: 'uniswap-v4',
    path: [weth, usdc],
    pools: [`0x${'ab'.repeat(32)}`],
    legs: [
      {
        dex: 'uniswap-v4',
        venue: 'uniswap-v4',
        pool: `0x${'ab'.repeat(32)}`,
        tokenIn: weth,
        tokenOut: usdc,
        feePips: 500,
        amountIn: 1_500_000_000_000_000_000n,
        amountOut: 90_071_992_547_409_931_234n,
        shareBps: 10_000,
        poolKey: {
          currency0: weth,
          currency1: usdc,
          fee: 500,
          tickSpacing: 10,
          hooks: '0x0000000000000000000000000000000000000000',
        },
      },
    ],
  },
  confidence: 'low',
  venuesConsidered: 3,
  flags: [
    {
      code: 'NO_MID',
      severity: 'warn',
      message: 'No mid.',
      facts: { pools: 1, code: 'a fact cannot replace the code' },
    },
  ],
  blockNumber: 38_211_450n,
  decimals: { in: 18, out: 6 },
  ts: 1_795_254_662_000,
  validUntil: 1_795_254_666_000,
};

export interface FakeEngine extends Engine {
  /** The queries of all calls. */
  queries: (QuoteQuery | QuoteRequest)[];
  /** Computes the next answers; `fakeAnswer` by default. */
  behaviour: () => Promise<QuoteAnswer>;
  /** If true, Base is unavailable. */
  down: boolean;
}

export function fakeEngine(): FakeEngine {
  return {
    chains: ['base', 'polygon'],
    queries: [],
    down: false,
    behaviour: async () => fakeAnswer,
    start: async () => {},
    chainState(chain) {
      return this.down && chain === 'base'
        ? { status: 'down', retryAfterSeconds: 7 }
        : { status: 'ok', blockNumber: 38_211_450n };
    },
    nodeStates: () => [],
    reach: async () => {},
    readCode: async () => ({ hasCode: true, blockNumber: 38_211_450n }),
    executorState: () => 'missing',
    prepare: async () => {},
    lensState: () => 'missing',
    refreshDeployments: async () => {},
    buildTransaction() {
      throw new TypeError('The fake engine builds no transaction.');
    },
    async quote(query) {
      this.queries.push(query);
      return this.behaviour();
    },
  };
}

/** A check whose total supply, 2^256 - 1, exceeds the range of a JSON number. */
export const fakeCheck = checkOf(catalogue.find(({ name }) => name === 'pretradeCheck')?.exampleAnswer);

function checkOf(example: unknown): PretradeAnswer {
  const { disclaimer: _, ...answer } = example as PretradeAnswer & { disclaimer: string };
  return { ...answer, identity: { ...answer.identity, totalSupplyRaw: 2n ** 256n - 1n } };
}

export interface FakePretrade extends PretradeChecker {
  /** The queries of all calls. */
  queries: PretradeQuery[];
  /** Whether each call was free. */
  freeCalls: (boolean | undefined)[];
  behaviour: () => Promise<PretradeAnswer>;
}

export function fakePretrade(): FakePretrade {
  return {
    queries: [],
    freeCalls: [],
    behaviour: async () => fakeCheck,
    async check(query, options) {
      this.queries.push(query);
      this.freeCalls.push(options?.isFree);
      return this.behaviour();
    },
  };
}

export interface FakePaymentService extends PaymentService {
  /** The arguments of all calls of `decide`. */
  attempts: PaymentAttempt[];
  /** `complete` or `fail <reason>` of each served attempt. */
  events: string[];
  /** The paths of all challenges. */
  challenged: (string | undefined)[];
  /** If set, `decide` returns this refusal. */
  refusal: Extract<PaymentDecision, { kind: 'refuse' }> | undefined;
  /** If true, storing an answer fails. */
  cannotStore: boolean;
  /** If true, tickets are for another input. */
  wrongTicket: boolean;
}

/** A payment service that accepts every PAYMENT-SIGNATURE, and replays the answer of a repeated one. */
export function fakePaymentService(): FakePaymentService {
  const answers = new Map<string, Extract<PaymentDecision, { kind: 'replay' }>>();
  return {
    attempts: [],
    events: [],
    challenged: [],
    refusal: undefined,
    wrongTicket: false,
    cannotStore: false,
    walletReads: undefined,
    readSigner: () => undefined,
    accepts: () => [],
    settlement: () => ({ 'eip155:8453': 'ok' }),
    queues: () => ({}),
    gasLeft: () => ({ 'eip155:8453': { state: 'ok', settlements: 1_000n } }),
    challenge(paid, path) {
      this.challenged.push(path);
      return {
        header: Buffer.from(JSON.stringify({ x402Version: 2, paid })).toString('base64'),
        summary: {
          x402Version: 2,
          accepts: [],
          price: { amount: '0.02', currency: 'USD', token: 'USDC' },
          networks: ['eip155:8453'],
          resource: { url: 'http://truefill.test/v1/quote' },
        },
      };
    },
    async decide(attempt) {
      this.attempts.push(attempt);
      if (this.refusal) return this.refusal;
      const before = answers.get(attempt.paymentHeader);
      if (before) return before;
      const paymentResponse = Buffer.from(JSON.stringify({ success: true })).toString('base64');
      return {
        kind: 'serve',
        ticket: { paid: attempt.paid, canonicalInput: this.wrongTicket ? '{}' : attempt.canonicalInput },
        paymentResponse,
        complete: async (answer) => {
          if (this.cannotStore) throw new Error('disk full');
          this.events.push('complete');
          answers.set(attempt.paymentHeader, { kind: 'replay', answer, paymentResponse });
          return answer;
        },
        fail: async (reason) => {
          this.events.push(`fail ${reason}`);
        },
      };
    },
    close: async () => {},
  };
}

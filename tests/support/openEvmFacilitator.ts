import { getAddress, type Hex } from 'viem';
import { multicall3, type RpcCall, type RpcEndpoint, type RpcReply, RpcTransportError } from '../../engine/index.ts';
import type { SettleOutcome, SettleTask } from '../../server/payments/facilitator.ts';
import type { JournaledTransaction } from '../../server/payments/ledger/ledgerTypes.ts';
import { domainSeparator, type SignedAuthorization } from '../../server/payments/networks/evm/authorization.ts';
import { createEvmFacilitator } from '../../server/payments/networks/evm/evmFacilitator.ts';
import { defaultTimings } from '../../server/payments/paymentConfig.ts';
import type { PaymentEvent } from '../../server/payments/paymentEvents.ts';
import { EvmChain } from './evmChain.ts';
import { createEvmNode } from './evmNode.ts';
import { asset, domain, keyOf, payTo, price, signPayments } from './signedPayments.ts';
import type { VirtualTime } from './virtualTime.ts';

const feed = getAddress(`0x${'fd'.repeat(20)}`);

/** A payment of each wallet, with its signature. */
export async function signAll(wallets: readonly number[], lifetimes: readonly number[] = []) {
  const signed = await signPayments(wallets, lifetimes);
  return signed.map(
    ({ authorization, signature }): SignedAuthorization => ({ ...authorization, signature: signature as Hex }),
  );
}
export const keyFor = ({ from, nonce }: SignedAuthorization) => `eip155:8453|${asset}|${from}|${nonce}`.toLowerCase();
type Task = SettleTask<SignedAuthorization>;
export const taskOf = (payment: SignedAuthorization, change: Partial<Task> = {}): Task => ({
  key: keyFor(payment),
  payment,
  envelope: {} as never,
  terms: {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: String(price),
    asset,
    payTo,
    maxTimeoutSeconds: 180,
    extra: {},
  },
  sent: [],
  wasRefused: false,
  checkFunds: async () => undefined,
  journal: async () => undefined,
  ...change,
});

/** A journal in memory, with the nonces of one account. */
function createJournal() {
  const entries: { keys: readonly string[]; transaction: JournaledTransaction }[] = [];
  const lost: string[] = [];
  return {
    entries,
    lost,
    ledger: {
      async journalNext(
        keys: readonly string[],
        account: { from: number },
        sign: (nonce: number) => JournaledTransaction,
      ) {
        let nonce = account.from;
        while (entries.some(({ transaction }) => transaction.nonce === nonce)) nonce += 1;
        const transaction = sign(nonce);
        entries.push({ keys, transaction });
        return transaction;
      },
      async journalAll(keys: readonly string[], transaction: JournaledTransaction) {
        entries.push({ keys, transaction });
      },
      async loadOpenTransactions(_: string, { from, below }: { from: number; below: number }) {
        const open = entries.map(({ transaction }) => transaction);
        return open.filter(({ nonce }) => nonce >= from && nonce < below);
      },
      lost: async (key: string) => void lost.push(key),
    },
  };
}

/** A node of the chain whose faults the test sets, and its endpoint. */
function createFaultyNode(chain: EvmChain, time: VirtualTime) {
  const node = {
    isDown: (_call: RpcCall): boolean => false,
    /** Replaces the reply to a call. */
    change: (_call: RpcCall, reply: RpcReply): RpcReply => reply,
    calls: [] as RpcCall[],
  };
  const endpoint = createEvmNode(
    chain,
    () => ({ lagOf: () => 0, delayMs: 0 }),
    (ms) => time.sleep(ms),
  );
  const watched: RpcEndpoint = {
    ...endpoint,
    async send(calls, options) {
      node.calls.push(...calls);
      if (calls.some((call) => node.isDown(call))) throw new RpcTransportError('The node is down.');
      const replies = await endpoint.send(calls, options);
      return replies.map((reply, index) => node.change(calls[index] as RpcCall, reply));
    },
  };
  return { node, watched };
}

/** A facilitator on a chain in memory, whose clock the test moves. Each wallet holds one price. */
export function openEvmFacilitator(
  time: VirtualTime,
  payments: readonly SignedAuthorization[],
  { preconfirmedNetworks = [] as string[] } = {},
) {
  const chain = new EvmChain({
    chainId: 8453,
    asset,
    multicall: multicall3,
    separator: domainSeparator(domain),
    now: time.now,
  });
  for (const payment of payments) chain.register(payment);
  for (const from of new Set(payments.map((payment) => payment.from))) chain.give(from, price);
  chain.mine();
  const { node, watched } = createFaultyNode(chain, time);
  const events: PaymentEvent[] = [];
  const budget = { taken: [] as number[], refunded: [] as number[] };
  const lines: string[] = [];
  const facts: object[] = [];
  const write = (given: object, message: string) => {
    facts.push(given);
    lines.push(message);
  };
  const journal = createJournal();
  const facilitator = createEvmFacilitator(
    {
      ...{ network: 'eip155:8453', chainId: 8453, rpcUrls: ['http://node.test'], watchRpc: () => watched },
      ...{ facilitatorKey: keyOf(7), payTo, asset, domain: { name: 'USD Coin', version: '2' } },
      pricing: { feed: { address: feed, heartbeatSeconds: 3_600 } },
    },
    { ...defaultTimings, recheckMs: 10_000 },
    { info: write, warn: write, error: write },
    {
      ledger: journal.ledger,
      contractWalletGas: {
        async take(amount) {
          budget.taken.push(amount);
          return undefined;
        },
        refund: async (amount) => void budget.refunded.push(amount),
      },
      onEvent: (event) => void events.push(event),
      preconfirmedNetworks,
    },
  );
  /** Settles, and keeps the outcome in `outcome`. */
  function settle(task: Task) {
    const result: { outcome?: SettleOutcome; error?: unknown } = {};
    facilitator.settle(task).then(
      (outcome) => {
        result.outcome = outcome;
      },
      (error) => {
        result.error = error;
      },
    );
    return result;
  }
  /** Mines a block every two seconds. */
  async function pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 2) {
      await time.advance(2_000);
      chain.mine();
    }
    await time.advance(2_000);
  }
  return { facilitator, chain, node, events, budget, lines, facts, journal, settle, pass };
}

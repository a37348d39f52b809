import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type NodeFaults,
  noFaults,
  PaymentHistory,
  type Received,
  type Step,
} from '../../tests/support/paymentHistory.ts';
import { openHistoryDatabase } from '../../tests/support/paymentReplicas.ts';
import { price, type SignedPayment, signPayments } from '../../tests/support/signedPayments.ts';
import { useVirtualTime, type VirtualTime } from '../../tests/support/virtualTime.ts';

let time: VirtualTime;
let store: Awaited<ReturnType<typeof openHistoryDatabase>>;
let payments: SignedPayment[];
const wallets = [0, 0, 1, 1, 2] as const;

beforeAll(async () => {
  payments = await signPayments(wallets, [90, 90, 90, 30, 90]);
  time = useVirtualTime(0);
  store = await openHistoryDatabase(time.now);
});
afterAll(async () => {
  await store.close().catch(() => undefined);
  time.restore();
});

const payment = fc.nat(wallets.length - 1);
const replica = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('request' as const), payment, replica }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 300, max: 5_000 }), fc.constant(20_000)),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'mine' as const }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 2, max: 10 }) }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>({ kind: 'mineEmpty' }, { kind: 'stealNonce' }, { kind: 'dropMempool' }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 3 }),
      keep: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('thirdParty' as const, 'cancel' as const), payment }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('withdraw' as const, 'give' as const), wallet: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('restart' as const),
      replica,
      offersNetwork: fc.oneof(
        { weight: 3, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: fc.constant(false) },
      ),
    }),
  },
);
const faults: fc.Arbitrary<NodeFaults> = fc.record({
  maxLag: fc.nat(3),
  lagsBy: fc.constantFrom('request', 'item', 'method', 'method'),
  lossPercent: fc.constantFrom(0, 0, 3, 15),
  maxDelayMs: fc.constantFrom(0, 20, 400, 3_000),
});

/** Whether a response states that the payment moved no money, so that its payer may sign another. */
const claimsUncharged = ({ kind, status, detail = '' }: Received): boolean =>
  kind === 'refused' && (detail.includes('Nothing was charged') || (status === 402 && !/[Ll]ook up/.test(detail)));

/** A refusal that leaves open whether an earlier use of the payment paid. */
const isHonest = (last: Received | undefined): boolean => /[Ll]ook up/.test(last?.detail ?? '');

const isAnswer = ({ kind }: Received): boolean => kind !== 'refused';

/** Ends a history: nodes without faults, all replicas with the network, and clients that retry. */
async function finish(history: PaymentHistory): Promise<void> {
  history.faults = noFaults;
  for (const index of [0, 1]) await history.run({ kind: 'restart', replica: index, offersNetwork: true });
  const isOpen = (received: readonly Received[]) => received.length > 0 && !received.some(isAnswer);
  const isUndecided = (received: readonly Received[]) => isOpen(received) && received.at(-1)?.status !== 402;
  for (let round = 0; round < 30 && history.received.some(isUndecided); round += 1) {
    for (const [index, received] of history.received.entries()) if (isUndecided(received)) history.request(index, 0);
    await history.pass(8);
  }
  // A refused payment may have paid since: the same request is served then.
  for (const [index, received] of history.received.entries()) if (isOpen(received)) history.request(index, 1);
  await history.pass(40);
}

function check(history: PaymentHistory): void {
  const { chain } = history;
  for (const [index, received] of history.received.entries()) {
    const { authorization } = payments[index] as SignedPayment;
    const use = chain.findUse(authorization);
    const isPaid = chain.useOf(authorization) === 'paid';
    const answers = new Set(received.filter(isAnswer).map(({ body }) => body));
    expect(answers.size, `answers of payment ${index}`).toBeLessThanOrEqual(1);
    // A reorganisation may drop a payment that was answered and can no longer be sent.
    const mayBeLost = history.reorganisations > 0 && answers.size === 1;
    // The service does not search for a payment that a third party sent and that expired before its request.
    const isForeign = use !== undefined && use.broadcastAt === undefined && isHonest(received.at(-1));
    if (received.length > 0 && !mayBeLost && !isForeign)
      expect({ index, isPaid }).toEqual({ index, isPaid: answers.size === 1 });
    for (const claim of received.filter(claimsUncharged)) {
      const wasOurs = use?.broadcastAt !== undefined && use.broadcastAt <= claim.at;
      const wasSeen = use !== undefined && use.block <= claim.seenBlock && use.broadcastAt === undefined;
      if (isPaid && (wasOurs || wasSeen) && history.reorganisations === claim.reorganisations) {
        expect.fail(`Payment ${index} paid, and its payer received: ${JSON.stringify(claim)}`);
      }
    }
  }
  const paid = payments.filter(({ authorization }) => chain.useOf(authorization) === 'paid').length;
  const [first] = payments;
  expect(chain.balanceOf(first?.authorization.to ?? '0x')).toBe(BigInt(paid) * price);
}

/** The nodes of one URL that return blocks and states are three blocks behind the one that counts transactions. */
function laggingGateway(): NodeFaults {
  let estimates = 0;
  const lagOf = ({ method }: { method: string }): number => {
    if (method === 'eth_getTransactionCount' || method === 'eth_getTransactionReceipt') return 0;
    if (method !== 'eth_estimateGas') return 3;
    estimates += 1;
    // Before the broadcast, after it, and the one that reaches a node at the head.
    return estimates < 3 ? 3 : 0;
  };
  return { ...noFaults, lagOf };
}

test('a paid payment is not refused by a node that is ahead of the one that returns its status', async () => {
  const options = { seed: 1, faults: laggingGateway(), balances: [2, 2, 1], replicas: 1 };
  const history = await PaymentHistory.open(time, store, payments, options);
  for (let block = 0; block < 3; block += 1) history.chain.mine();
  await history.run({ kind: 'request', payment: 0, replica: 0 });
  await history.pass(40);
  expect(history.chain.useOf((payments[0] as SignedPayment).authorization)).toBe('paid');
  expect(history.received[0]).toMatchObject([{ kind: 'served' }]);
});

test('a refused payment stays refused when it has expired: its outcome is known', async () => {
  const options = { seed: 1, faults: noFaults, balances: [2, 2, 0], replicas: 1 };
  const history = await PaymentHistory.open(time, store, payments, options);
  await history.run({ kind: 'request', payment: 4, replica: 0 });
  await history.pass(90);
  await history.run({ kind: 'request', payment: 4, replica: 0 });
  await history.pass(4);
  expect(history.received[4]).toMatchObject([{ status: 402 }, { status: 402 }]);
});

/** A short run for each test run; `HISTORIES` and `HISTORY_SEED` select others. */
const count = Number(process.env.HISTORIES ?? 150);
const seed = Number(process.env.HISTORY_SEED ?? 34);

/** With five blocks a second a history has ten times as many blocks. */
const runs = [
  ['a block every two seconds', 2_000, count],
  ['five blocks a second', 200, Math.ceil(count / 2)],
] as const;

test.each(runs)(
  `seed ${seed}, histories with %s: the books equal what callers received`,
  async (_name, blockMs, numRuns) => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 30 }),
      faults,
      fc.nat(),
      async (steps, nodeFaults, drawn) => {
        const options = { seed: drawn, faults: nodeFaults, balances: [2, 2, 1], replicas: 2, blockMs };
        const history = await PaymentHistory.open(time, store, payments, options);
        for (const next of steps) await history.run(next);
        await finish(history);
        check(history);
      },
    );
    await fc.assert(property, { seed, numRuns });
  },
);

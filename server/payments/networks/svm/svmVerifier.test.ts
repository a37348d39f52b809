import { generateKeyPairSigner, getBase64Decoder, getTransactionEncoder } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { computeLimit, computePrice } from '../../../../tests/payments/solanaInstructions.ts';
import {
  atSlot,
  blockhash,
  openSolanaParties,
  rpcOf,
  type SolanaMethods,
  type SolanaParties,
  solanaGenesis,
  solanaNode,
  solanaPayment,
} from '../../../../tests/support/solanaPayments.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import { defaultTimings } from '../../paymentConfig.ts';
import { readPayeeObstacle, readSvmState } from './readSvmState.ts';
import type { SvmTransaction } from './svmTransaction.ts';
import { createSvmVerifier, expiredOutcome, failedOutcome } from './svmVerifier.ts';

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
let parties: SolanaParties;
let payment: SvmTransaction;
let unrelated: SvmTransaction;
beforeAll(async () => {
  parties = await openSolanaParties();
  payment = await solanaPayment(parties);
  unrelated = await solanaPayment(parties, [computeLimit(9), computePrice(1n), parties.transfer()]);
});

const wireOf = ({ transaction }: SvmTransaction) =>
  getBase64Decoder().decode(getTransactionEncoder().encode(transaction));
function open(methods: SolanaMethods) {
  const node = solanaNode(methods);
  const { terms, payTo, mint } = parties;
  const config = { network: terms.network, payTo, asset: mint, facilitatorKey: '', ...rpcOf(node) };
  return { ...createSvmVerifier(config, defaultTimings), calls: node.calls };
}

const signatureOf = (index: number) => `${'s'.repeat(70)}${'ABCDEFGH'[index % 8]}`;

interface History {
  slot?: number;
  isValid?: boolean;
  /** Newest first. */
  listed?: { payment: SvmTransaction; slot: number; err?: unknown }[];
  /** Slot of the node that returns the history and the validity. */
  behind?: number;
}

/** A node that enforces `minContextSlot`, as Agave does. */
function openHistory({ slot = 1_151, isValid = false, listed = [], behind = slot }: History) {
  const enforced =
    (respond: (params: readonly unknown[]) => unknown) =>
    (params: readonly unknown[]): unknown => {
      const { minContextSlot = 0 } = params[1] as { minContextSlot?: number };
      return behind < minContextSlot ? new Error('Minimum context slot has not been reached') : respond(params);
    };
  return open({
    getSlot: () => slot,
    isBlockhashValid: enforced(() => atSlot(behind, isValid)),
    getSignaturesForAddress: enforced(() =>
      listed.map((one, index) => ({ signature: signatureOf(index), slot: one.slot, err: one.err ?? null })),
    ),
    getTransaction: ([signature]) => {
      const one = listed.find((_, index) => signatureOf(index) === signature);
      return one && { transaction: [wireOf(one.payment), 'base64'] };
    },
  });
}

describe('readStatus', () => {
  test.each<[string, unknown, History]>([
    ['unused', { kind: 'unused' }, { slot: 1_150, isValid: true }],
    ['unused until 150 slots have passed', { kind: 'unused' }, { slot: 1_150 }],
    ['unused while its blockhash is valid', { kind: 'unused' }, { isValid: true }],
    ['expired', expiredOutcome, {}],
  ])('returns %s if no transaction contains it', async (_, expected, history) => {
    expect(await openHistory(history).readStatus(payment, 1_000n)).toEqual(expected);
  });

  test.each([1_150, 1_151])('returns the transaction that contains the message (finalized slot: %s)', async (slot) => {
    const listed = [
      { payment: unrelated, slot: 1_002 },
      { payment, slot: 1_001 },
    ];
    expect(await openHistory({ slot, listed }).readStatus(payment, 1_000n)).toEqual({
      kind: 'settled',
      transaction: signatureOf(1),
    });
  });

  test('returns failed for a transaction that contains the message and failed', async () => {
    const listed = [{ payment, slot: 1_001, err: { InstructionError: [2, { Custom: 1 }] } }];
    expect(await openHistory({ listed }).readStatus(payment, 1_000n)).toEqual(failedOutcome);
  });

  test.each([
    [true, 936],
    [false, 935],
  ])('finds (%s) the payment in slot %s, 64 slots before the position at most', async (isFound, slot) => {
    const { kind } = await openHistory({ listed: [{ payment, slot }] }).readStatus(payment, 1_000n);
    expect(kind === 'settled').toBe(isFound);
  });

  test('error: no expiry from a node that is behind the finalized slot', async () => {
    await expect(openHistory({ behind: 1_100 }).readStatus(payment, 1_000n)).rejects.toThrow('JSON-RPC error -32016');
  });

  test('error: no expiry from a node that has switched to another network', async () => {
    let hasSwitched = false;
    const switched = open({
      getGenesisHash: () => (hasSwitched ? '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY' : solanaGenesis),
      getSlot: () => 1_151,
      isBlockhashValid: () => {
        hasSwitched = true;
        return atSlot(1_151, false);
      },
      getSignaturesForAddress: () => [],
    });
    await expect(switched.readStatus(payment, 1_000n)).rejects.toThrow(ChainUnreachableError);
  });

  test('error: ChainUnreachableError while the node lists a transaction that it does not return', async () => {
    const lists = open({
      getSlot: () => 1_000,
      getSignaturesForAddress: () => [{ signature: signatureOf(0), slot: 1_000, err: null }],
      getTransaction: () => null,
    });
    await expect(lists.readStatus(payment, 1_000n)).rejects.toThrow(ChainUnreachableError);
  });

  test('searches the next page before the last transaction, and at most 20 pages', async () => {
    const page = Array.from({ length: 100 }, (_, index) => ({ signature: signatureOf(index), slot: 1_000, err: null }));
    const many = open({
      getSlot: () => 1_000,
      getSignaturesForAddress: () => page,
      getTransaction: () => ({ transaction: [wireOf(unrelated), 'base64'] }),
    });
    await expect(many.readStatus(payment, 1_000n)).rejects.toThrow(ChainUnreachableError);
    const pages = many.calls.filter(({ method }) => method === 'getSignaturesForAddress');
    expect(pages).toHaveLength(20);
    expect(pages[0]?.params).toEqual([parties.source, expect.not.objectContaining({ before: signatureOf(99) })]);
    expect(pages[1]?.params).toEqual([
      parties.source,
      expect.objectContaining({ before: signatureOf(99), limit: 100 }),
    ]);
  });

  test('behavior: an expired payment of unknown age may have paid, and is not searched', async () => {
    const old = open({
      getSlot: ([options]) => ((options as { commitment: string }).commitment === 'finalized' ? 1_151 : 1_160),
      isBlockhashValid: () => atSlot(1_151, false),
    });
    expect(await old.readStatus(payment)).toMatchObject({ kind: 'refused', mayHavePaid: true });
    expect(old.calls.at(-1)?.params[0]).toBe(blockhash);
  });
});

describe('readFunds', () => {
  const key = (name: string, ...hashes: string[]) => ({ key: name, hashes });
  const status = (confirmationStatus: string, slot = 990) => ({ slot, err: null, confirmationStatus });

  test('ends confirmed payments that the balance reflects', async () => {
    const { readFunds, calls } = open({
      getSignatureStatuses: () =>
        atSlot(1_010, [
          status('confirmed', 1_000),
          status('finalized'),
          status('processed'),
          null,
          status('confirmed', 1_001),
        ]),
      getTokenAccountBalance: () => atSlot(1_000, { amount: '70000' }),
    });
    const open5 = [key('a', '1', ''), key('b', '2'), key('c', '3'), key('d', '4'), key('e', '5'), key('f', '')];
    expect(await readFunds(payment, open5)).toEqual({ balance: 70_000n, ended: new Set(['a', 'b']) });
    expect(calls.map(({ method }) => method)).toEqual(['getSignatureStatuses', 'getTokenAccountBalance']);
    expect(calls[0]?.params).toEqual([['1', '2', '3', '4', '5'], { searchTransactionHistory: true }]);
    expect(calls[1]?.params).toEqual([parties.source, { commitment: 'confirmed' }]);
  });

  test('reads no status without transactions, and at most 256', async () => {
    const { readFunds, calls } = open({
      getSignatureStatuses: ([hashes]) =>
        atSlot(
          1_000,
          (hashes as string[]).map(() => status('confirmed')),
        ),
      getTokenAccountBalance: () => atSlot(1_000, { amount: '1' }),
    });
    await readFunds(payment, [key('remote', '')]);
    expect(calls).toHaveLength(1);
    const { ended } = await readFunds(
      payment,
      Array.from({ length: 257 }, (_, index) => key(`${index}`, `${index}`)),
    );
    expect(ended.size).toBe(256);
    expect(ended.has('256')).toBe(false);
  });

  test('error: ChainUnreachableError for a payment without a transfer', async () => {
    await expect(open({}).readFunds({ ...payment, transfer: undefined }, [])).rejects.toThrow(ChainUnreachableError);
  });
});

describe('verifyPayload', () => {
  const reasonOf = async (changed: SvmTransaction) => {
    const outcome = await open({}).verifyPayload(changed, parties.terms, 0);
    return outcome.kind === 'invalid' ? outcome.reason : outcome.kind;
  };
  const isSigned = (changed: SvmTransaction) => open({}).isSigned(changed, parties.terms, 0);
  const withSignatures = (signatures: object): SvmTransaction => ({
    ...payment,
    transaction: { ...payment.transaction, signatures: signatures as never },
  });

  test('accepts the signed payment without a request', async () => {
    expect(await reasonOf(payment)).toBe('valid');
    expect(await isSigned(payment)).toBe(true);
  });

  test.each([
    ['no signature', () => withSignatures({})],
    ['an empty signature', () => withSignatures({ [parties.payer.address]: null })],
    ['the signature of another message', () => withSignatures(unrelated.transaction.signatures)],
  ])('refuses a payment with %s of its payer', async (_, change) => {
    expect(await reasonOf(change())).toBe('invalid_exact_svm_payload_signature_invalid');
    expect(await isSigned(change())).toBe(false);
  });

  test("refuses a transfer from another wallet's token account", async () => {
    const source = await parties.accountOf((await generateKeyPairSigner()).address);
    const foreign = await solanaPayment(parties, [computeLimit(1), computePrice(1n), parties.transfer({ source })]);
    expect(await reasonOf(foreign)).toBe('invalid_exact_svm_payload_no_transfer_instruction');
  });
});

describe('check', () => {
  test.each([null, { owner: '11111111111111111111111111111111' }])(
    'rejects a payee account %j, and checks again',
    async (value) => {
      let account: unknown = value;
      const verifier = open({ getAccountInfo: () => atSlot(1, account) });
      await expect(verifier.check()).rejects.toThrow(PaymentNetworkMismatchError);
      account = { owner: tokenProgram };
      await verifier.check();
      await verifier.check();
      expect(verifier.calls.map(({ params }) => params[0])).toEqual([parties.destination, parties.destination]);
    },
  );

  test('rejects a node of another network', async () => {
    const wrong = open({ getGenesisHash: () => '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY' });
    await expect(wrong.check()).rejects.toThrow(PaymentNetworkMismatchError);
  });
});

describe('readSvmState', () => {
  const accountIn = (state: number, owner = tokenProgram) => {
    const bytes = new Uint8Array(165);
    bytes[108] = state;
    return { owner, data: [getBase64Decoder().decode(bytes), 'base64'] };
  };
  test.each([
    [890_880 + 40_000, accountIn(1), undefined, 2n],
    [890_880 + 20_000, accountIn(1), undefined, 1n],
    [890_880 + 19_999, accountIn(1), 'no_gas', 0n],
    [890_879, accountIn(1), 'no_gas', 0n],
    [0, accountIn(2), 'payee_blocked', 0n],
    [10_000_000, null, 'payee_blocked', 455n],
    [10_000_000, accountIn(1, '11111111111111111111111111111111'), 'payee_blocked', 455n],
  ])('%s lamports: case %#', async (lamports, account, obstacle, settlements) => {
    const verifier = open({ getBalance: () => atSlot(1, lamports), getAccountInfo: () => atSlot(1, account) });
    expect(await readSvmState(verifier, parties.feePayer)).toEqual({ obstacle, settlements, gasCost: undefined });
    const payee = obstacle === 'no_gas' ? undefined : obstacle;
    expect(await readPayeeObstacle(verifier)).toBe(payee);
  });
});

import { AccountRole, address, type Instruction } from '@solana/kit';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentService } from '../../server/payments/index.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { openSolanaFixture, type SolanaFixture, type SolanaPayer } from './solanaFixture.ts';
import {
  computeLimit,
  computePrice,
  guard,
  memo,
  signPayment,
  systemProgram,
  tokenAccountOf,
  transferOf,
} from './solanaInstructions.ts';

// Transactions that a payer builds by hand and the fee payer would sign.

let fixture: SolanaFixture;
let paymentService: PaymentService;
let close: () => Promise<void>;

beforeAll(async () => {
  fixture = await openSolanaFixture();
  ({ paymentService, close } = await fixture.openPaymentService());
});
afterAll(async () => {
  await close?.();
  await fixture?.close();
});

const tokenAccount = (owner: string, mint: string = fixture.solana.usdc) => tokenAccountOf(owner, mint);
const transfer = (payer: SolanaPayer, change: Parameters<typeof transferOf>[2] = {}) =>
  transferOf(fixture, payer, change);
/** The instructions of a valid payment, and further ones after them. */
const paymentOf = async (payer: SolanaPayer, ...added: Instruction[]): Promise<Instruction[]> => [
  computeLimit(20_000),
  computePrice(1n),
  await transfer(payer),
  ...added,
];
const payWith = (instructions: readonly Instruction[], feePayer?: string) =>
  signPayment(fixture, paymentService.challenge('quote').header, instructions, feePayer);

/** Expects a 402 with `invalid_exact_svm_<reason>` and unchanged balances of facilitator and payer. */
async function expectRefused(payload: PaymentPayload, payer: SolanaPayer, reason: string): Promise<void> {
  const facilitator = fixture.walletOf('facilitator').address;
  const before = [await fixture.lamportsOf(facilitator), await fixture.usdcOf(payer.address)];
  const decision = await paymentService.decide(attemptOf(payload));
  if (decision.kind !== 'refuse') throw new Error(`Expected a refusal, got ${decision.kind}.`);
  expect(decision.status).toBe(402);
  const { error } = decodePaymentRequiredHeader(decision.headers['PAYMENT-REQUIRED'] ?? '');
  expect(error).toBe(`invalid_exact_svm_${reason}`);
  expect([await fixture.lamportsOf(facilitator), await fixture.usdcOf(payer.address)]).toEqual(before);
}

test('default: accepts a transfer that was built by hand', async () => {
  const payer = await fixture.newPayer(price);
  const payload = await payWith(await paymentOf(payer, memo()));
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
});

const cases: readonly [name: string, reason: string, build: (payer: SolanaPayer) => Promise<Instruction[]>][] = [
  [
    'sets a compute limit of 200,001 units',
    'payload_transaction_instructions_compute_limit_instruction_too_high',
    async (payer) => [computeLimit(200_001), computePrice(1n), await transfer(payer)],
  ],
  [
    'sets a compute price of 50,001 micro-lamports',
    'payload_transaction_instructions_compute_price_instruction_too_high',
    async (payer) => [computeLimit(200_000), computePrice(50_001n), await transfer(payer)],
  ],
  [
    'sets no compute limit',
    'payload_transaction_instructions_compute_limit_instruction',
    async (payer) => [memo(), computePrice(1n), await transfer(payer)],
  ],
  [
    'requires the fee payer to sign a memo',
    'payload_transaction_fee_payer_transferring_funds',
    (payer) =>
      paymentOf(
        payer,
        memo([{ address: address(fixture.walletOf('facilitator').address), role: AccountRole.READONLY_SIGNER }]),
      ),
  ],
  [
    'transfers SOL of the fee payer',
    'payload_transaction_fee_payer_transferring_funds',
    (payer) =>
      paymentOf(payer, {
        programAddress: systemProgram,
        accounts: [
          { address: address(fixture.walletOf('facilitator').address), role: AccountRole.WRITABLE_SIGNER },
          { address: address(payer.address), role: AccountRole.WRITABLE },
        ],
        data: new Uint8Array([2, 0, 0, 0, 0, 202, 154, 59, 0, 0, 0, 0]),
      }),
  ],
  [
    'calls another program',
    'payload_unknown_optional_instruction',
    (payer) =>
      paymentOf(payer, {
        programAddress: address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
        data: new Uint8Array([1]),
      }),
  ],
  ['asserts on the clock', 'payload_unknown_optional_instruction', (payer) => paymentOf(payer, guard('sysvarClock'))],
  [
    "asserts on the clock's account",
    'payload_unknown_optional_instruction',
    (payer) => paymentOf(payer, guard('accountInfo', 'SysvarC1ock11111111111111111111111111111111')),
  ],
  [
    "asserts on another wallet's account",
    'payload_unknown_optional_instruction',
    async (payer) => paymentOf(payer, guard('tokenAccount', await tokenAccount(fixture.walletOf('demo').address))),
  ],
  [
    'compares two accounts',
    'payload_unknown_optional_instruction',
    (payer) => paymentOf(payer, guard('accountInfo', payer.address, fixture.walletOf('demo').address)),
  ],
  [
    'has a guard before the transfer',
    'payload_no_transfer_instruction',
    async (payer) => [
      computeLimit(20_000),
      computePrice(1n),
      guard('accountInfo', payer.address),
      await transfer(payer),
    ],
  ],
  [
    'has four guards',
    'payload_unknown_optional_instruction',
    (payer) => paymentOf(payer, ...Array.from({ length: 4 }, () => guard('accountInfo', payer.address))),
  ],
  [
    'sets the compute limit twice',
    'payload_unknown_optional_instruction',
    (payer) => paymentOf(payer, computeLimit(30_000)),
  ],
  [
    'pays another recipient',
    'payload_recipient_mismatch',
    async (payer) => [computeLimit(20_000), computePrice(1n), await transfer(payer, { to: payer.address })],
  ],
  [
    'pays less',
    'payload_amount_mismatch',
    async (payer) => [computeLimit(20_000), computePrice(1n), await transfer(payer, { amount: price - 1n })],
  ],
  [
    "spends another wallet's account as a delegate",
    'payload_no_transfer_instruction',
    async (payer) => [
      computeLimit(20_000),
      computePrice(1n),
      await transfer(payer, { source: fixture.walletOf('demo').address }),
    ],
  ],
  [
    'transfers from another wallet without its signature',
    'payload_no_transfer_instruction',
    async (payer) => {
      const [source, victim] = [await tokenAccount(fixture.walletOf('demo').address), fixture.walletOf('demo').address];
      const { programAddress, accounts, data } = await transfer(payer, { source: victim });
      const [, mint, destination] = accounts ?? [];
      if (!mint || !destination) throw new Error('accounts');
      const unsigned: Instruction = {
        programAddress,
        accounts: [
          { address: source, role: AccountRole.WRITABLE },
          mint,
          destination,
          { address: address(victim), role: AccountRole.READONLY },
        ],
        ...(data && { data }),
      };
      const signed = memo([
        { address: address(payer.address), role: AccountRole.READONLY_SIGNER, signer: payer.signer } as never,
      ]);
      return [computeLimit(20_000), computePrice(1n), unsigned, signed];
    },
  ],
  [
    'has a memo in the place of the transfer',
    'payload_no_transfer_instruction',
    async (payer) => [computeLimit(20_000), computePrice(1n), memo(), await transfer(payer)],
  ],
  [
    'has too many instructions',
    'payload_transaction_instructions_length',
    (payer) => paymentOf(payer, memo(), memo(), memo(), memo(), memo()),
  ],
];

test.each(['memoryWrite', 'accountData', 'accountDelta', 'mintAccount', 'sysvarClock'] as const)(
  "error: refuses a transaction with the guard %s, also on the payer's own wallet",
  async (kind) => {
    const payer = await fixture.newPayer(2n * price);
    const instructions = await paymentOf(payer, guard(kind, payer.address));
    await expectRefused(await payWith(instructions), payer, 'payload_unknown_optional_instruction');
  },
);

// The local Solana lacks the guard program, so valid transactions fail only in the simulation.
test('behavior: accepts guards on the payer’s wallet and token account up to the simulation', async () => {
  const payer = await fixture.newPayer(2n * price);
  const payerAccount = await tokenAccount(payer.address);
  for (const added of [
    [guard('accountInfo', payer.address)],
    [guard('accountInfoMulti', payer.address), guard('tokenAccount', payerAccount)],
    [
      guard('tokenAccountMulti', payerAccount),
      guard('accountInfo', payerAccount),
      guard('tokenAccount', payerAccount),
      memo(),
    ],
  ]) {
    const instructions = await paymentOf(payer, ...added);
    await expectRefused(await payWith(instructions), payer, 'transaction_simulation_failed');
  }
});

test.each(cases)('error: refuses a transaction that %s', async (_case, reason, build) => {
  const payer = await fixture.newPayer(2n * price);
  await expectRefused(await payWith(await build(payer)), payer, reason);
});

test('error: refuses a transaction with a third signature or another fee payer', async () => {
  const [payer, other] = [await fixture.newPayer(2n * price), await fixture.newPayer(0n)];
  const extra = memo([
    { address: address(other.address), role: AccountRole.READONLY_SIGNER, signer: other.signer } as never,
  ]);
  const base = await paymentOf(payer);
  await expectRefused(await payWith([...base, extra]), payer, 'payload_excessive_signers');
  await expectRefused(await payWith(base, other.address), payer, 'fee_payer_mismatch');
});

test('error: refuses an unsigned transaction and one that another account signed', async () => {
  const [payer, other] = [await fixture.newPayer(2n * price), await fixture.newPayer(0n)];
  const payload = await payWith(await paymentOf(payer));
  const wire = Buffer.from(String(payload.payload.transaction), 'base64');
  const otherWire = Buffer.from(String((await payWith(await paymentOf(other))).payload.transaction), 'base64');
  // The wire format is one byte of count, 64 bytes of the fee payer's signature and 64 of the payer's.
  for (const signature of [Buffer.alloc(64), otherWire.subarray(65, 129)]) {
    const forged = Buffer.concat([wire.subarray(0, 65), signature, wire.subarray(129)]).toString('base64');
    await expectRefused({ ...payload, payload: { transaction: forged } }, payer, 'payload_signature_invalid');
  }
});

test('security: PAYMENT_REUSED for the same payment with other bytes as the fee payer’s signature', async () => {
  const payer = await fixture.newPayer(2n * price);
  const payload = await payWith(await paymentOf(payer, memo()));
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  const wire = Buffer.from(String(payload.payload.transaction), 'base64');
  wire.fill(7, 1, 65);
  const altered = { ...payload, payload: { transaction: wire.toString('base64') } };
  expect(await paymentService.decide(attemptOf(altered))).toMatchObject({ status: 409, code: 'PAYMENT_REUSED' });
  expect(await fixture.usdcOf(payer.address)).toBe(price);
});

test.each([
  ['one byte', 'AQ=='],
  ['300 bytes 0xff', Buffer.alloc(300, 255).toString('base64')],
  ['invalid base64', '!'],
])('error: 400 when the transaction is %s', async (_case, transaction) => {
  const payload = await payWith([computeLimit(20_000)]);
  expect(await paymentService.decide(attemptOf({ ...payload, payload: { transaction } }))).toMatchObject({
    status: 400,
  });
});

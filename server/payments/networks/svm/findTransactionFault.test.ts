import { AccountRole, type Address, address, generateKeyPairSigner, type Instruction } from '@solana/kit';
import { beforeAll, expect, test } from 'vitest';
import { computeLimit, computePrice, guard, memo } from '../../../../tests/payments/solanaInstructions.ts';
import { openSolanaParties, type SolanaParties, solanaPayment } from '../../../../tests/support/solanaPayments.ts';
import { findTransactionFault } from './findTransactionFault.ts';
import type { SvmTransaction } from './svmTransaction.ts';

const tokenProgram = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
let parties: SolanaParties;
let other: Address;
beforeAll(async () => {
  parties = await openSolanaParties();
  other = (await generateKeyPairSigner()).address;
});

const find = (payment: SvmTransaction) => {
  const { feePayer, source, destination, terms } = parties;
  return findTransactionFault(payment, terms, { feePayer, source, destination })?.reason;
};
const withLast = async (...added: Instruction[]) =>
  find(await solanaPayment(parties, [computeLimit(200_000), computePrice(50_000n), parties.transfer(), ...added]));
const withBudget = async (limit: Instruction, price: Instruction) =>
  find(await solanaPayment(parties, [limit, price, parties.transfer()]));
const budget = (...bytes: number[]): Instruction => ({ ...computeLimit(1), data: new Uint8Array(bytes) });
const data = (instruction: Instruction, change: (bytes: Uint8Array) => Uint8Array): Instruction => ({
  ...instruction,
  data: change(Uint8Array.from(instruction.data ?? [])),
});
const onOther = (instruction: Instruction): Instruction => ({ ...instruction, programAddress: other });
const withTransfer = async (transfer: Instruction) =>
  find(await solanaPayment(parties, [computeLimit(20_000), computePrice(1n), transfer]));
const accountGuards = ['accountInfo', 'accountInfoMulti', 'tokenAccount', 'tokenAccountMulti'] as const;

test('default: accepts the largest compute budget, memos, and guards on wallet and token account', async () => {
  expect(await withLast()).toBeUndefined();
  expect(await withLast(memo(), memo(), memo(), memo())).toBeUndefined();
  const { payer, source } = parties;
  const three = [guard('accountInfo', payer.address), guard('tokenAccount', source), guard('tokenAccount', source)];
  expect(await withLast(...three, memo())).toBeUndefined();
  for (const kind of accountGuards) {
    expect(await withLast(guard(kind, payer.address))).toBeUndefined();
    expect(await withLast(guard(kind, source))).toBeUndefined();
  }
});

const cases: Record<string, [string, () => Promise<string | undefined>]> = {
  'another fee payer': ['fee_payer_mismatch', async () => find(await solanaPayment(parties, undefined, other))],
  'three signers': [
    'payload_excessive_signers',
    async () => {
      const signer = await generateKeyPairSigner();
      return withLast(memo([{ address: signer.address, role: AccountRole.READONLY_SIGNER, signer } as never]));
    },
  ],
  'an address lookup table': [
    'payload_transaction_could_not_be_decoded',
    async () => {
      const payment = await solanaPayment(parties);
      const lookup = { lookupTableAddress: other, readonlyIndexes: [], writableIndexes: [0] };
      return find({ ...payment, message: { ...payment.message, addressTableLookups: [lookup] } as never });
    },
  ],
  'two instructions': [
    'payload_transaction_instructions_length',
    async () => find(await solanaPayment(parties, [computeLimit(20_000), parties.transfer()])),
  ],
  'eight instructions': [
    'payload_transaction_instructions_length',
    () => withLast(memo(), memo(), memo(), memo(), memo()),
  ],
  'an instruction that uses the fee payer': [
    'payload_transaction_fee_payer_transferring_funds',
    () => withLast(memo([{ address: parties.feePayer, role: AccountRole.READONLY }])),
  ],
  'a compute limit of 200,001': [
    'payload_transaction_instructions_compute_limit_instruction_too_high',
    () => withBudget(computeLimit(200_001), computePrice(1n)),
  ],
  'a compute price of 50,001': [
    'payload_transaction_instructions_compute_price_instruction_too_high',
    () => withBudget(computeLimit(20_000), computePrice(50_001n)),
  ],
  'no transfer': ['payload_no_transfer_instruction', () => withTransfer(memo())],
  'a transfer of another mint': ['payload_mint_mismatch', () => withTransfer(parties.transfer({ mint: other }))],
  'another destination': ['payload_recipient_mismatch', () => withTransfer(parties.transfer({ destination: other }))],
  "a source that is not the signer's token account": [
    'payload_no_transfer_instruction',
    () => withTransfer(parties.transfer({ source: other })),
  ],
  'one unit less': ['payload_amount_mismatch', () => withTransfer(parties.transfer({ amount: 19_999n }))],
  'one unit more': ['payload_amount_mismatch', () => withTransfer(parties.transfer({ amount: 20_001n }))],
  'an unknown program after the transfer': [
    'payload_unknown_optional_instruction',
    () => withLast(memo(), onOther(memo())),
  ],
  'a second transfer': ['payload_unknown_optional_instruction', () => withLast(parties.transfer())],
  'four guards': [
    'payload_unknown_optional_instruction',
    () => withLast(...Array.from({ length: 4 }, () => guard('tokenAccount', parties.source))),
  ],
  'a guard of another program': [
    'payload_unknown_optional_instruction',
    () => withLast(onOther(guard('tokenAccount', parties.source))),
  ],
  'an instruction that uses the fee payer among others': [
    'payload_transaction_fee_payer_transferring_funds',
    () => withLast(guard('tokenAccountMulti', parties.source, parties.feePayer)),
  ],
  'a guard on another account': [
    'payload_unknown_optional_instruction',
    () => withLast(guard('tokenAccount', parties.destination)),
  ],
  'a guard on two accounts': [
    'payload_unknown_optional_instruction',
    () => withLast(guard('tokenAccountMulti', parties.source, parties.payer.address)),
  ],
  'a guard without an account': ['payload_unknown_optional_instruction', () => withLast(guard('tokenAccount'))],
  'a guard without data': [
    'payload_unknown_optional_instruction',
    () => withLast({ ...guard('tokenAccount', parties.source), data: new Uint8Array() }),
  ],
  'a guard on the clock': [
    'payload_unknown_optional_instruction',
    () => withLast(guard('sysvarClock', parties.source)),
  ],
};
test.each(Object.entries(cases))('refuses %s', async (_, [reason, run]) => {
  expect(await run()).toBe(`invalid_exact_svm_${reason}`);
});

test.each<[string, () => Instruction]>([
  ['of another program', () => onOther(computeLimit(20_000))],
  ['with another discriminator', () => budget(1, 0, 0, 0, 0)],
  ['with four bytes', () => budget(2, 0, 0, 0)],
  ['with six bytes', () => budget(2, 0, 0, 0, 0, 0)],
  ['without data', () => ({ programAddress: computeLimit(1).programAddress })],
])('refuses a first instruction %s', async (_, limit) => {
  expect(await withBudget(limit(), computePrice(1n))).toBe(
    'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction',
  );
});

test.each<[string, () => Instruction]>([
  ['of another program', () => onOther(computePrice(1n))],
  ['with another discriminator', () => budget(4, 0, 0, 0, 0, 0, 0, 0, 0)],
  ['with eight bytes', () => budget(3, 0, 0, 0, 0, 0, 0, 0)],
  ['with ten bytes', () => budget(3, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
  ['without data', () => ({ programAddress: computeLimit(1).programAddress })],
])('refuses a second instruction %s', async (_, price) => {
  expect(await withBudget(computeLimit(1), price())).toBe(
    'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction',
  );
});

test.each<[string, (transfer: Instruction) => Instruction]>([
  ['of another program', onOther],
  [
    'of Token-2022',
    (transfer) => ({ ...transfer, programAddress: address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb') }),
  ],
  ['that is an unchecked Transfer', (transfer) => data(transfer, (bytes) => Uint8Array.from([3, ...bytes.slice(1)]))],
  ['with nine bytes', (transfer) => data(transfer, (bytes) => bytes.slice(0, 9))],
  ['with eleven bytes', (transfer) => data(transfer, (bytes) => Uint8Array.from([...bytes, 0]))],
  ['with three accounts', (transfer) => ({ ...transfer, accounts: transfer.accounts?.slice(0, 3) ?? [] })],
  [
    'with five accounts',
    (transfer) => ({
      ...transfer,
      accounts: [...(transfer.accounts ?? []), { address: tokenProgram, role: AccountRole.READONLY }],
    }),
  ],
  [
    'whose authority did not sign',
    (transfer) => ({
      ...transfer,
      accounts: [
        ...(transfer.accounts?.slice(0, 3) ?? []),
        { address: parties.payer.address, role: AccountRole.READONLY },
      ],
    }),
  ],
])('finds no transfer in an instruction %s', async (_, change) => {
  const payment = await solanaPayment(parties, [computeLimit(1), computePrice(1n), change(parties.transfer())]);
  expect(payment.transfer).toBeUndefined();
  expect(find(payment)).toBe('invalid_exact_svm_payload_no_transfer_instruction');
});

test('finds source, mint, destination, authority and amount of a transfer', async () => {
  const { source, destination, mint, payer } = parties;
  expect((await solanaPayment(parties)).transfer).toEqual({
    source,
    mint,
    destination,
    authority: payer.address,
    amount: 20_000n,
  });
});

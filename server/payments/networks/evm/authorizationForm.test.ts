import { encodeAbiParameters, parseAbiParameters } from 'viem';
import { expect, test } from 'vitest';
import { authorizationForm } from './authorizationForm.ts';
import { transferData } from './simulateTransfer.ts';

const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const read = (payer: string, payee: string) =>
  authorizationForm.read({
    signature: `0x${'11'.repeat(65)}`,
    authorization: {
      ...{ from: payer, to: payee, value: '20000', validAfter: '0', validBefore: '1' },
      nonce: `0x${'AB'.repeat(32)}`,
    },
  });
const terms = { network: 'eip155:8453', asset: to } as unknown as Parameters<typeof authorizationForm.keyOf>[0];

test('default: keeps addresses with a checksum and addresses in lower case unchanged', () => {
  expect(read(from, to)).toMatchObject({ from, to });
  expect(read(from.toLowerCase(), to.toLowerCase())).toMatchObject({ from: from.toLowerCase(), to: to.toLowerCase() });
});

test('behavior: addresses in any other letter case give the same key and call data', () => {
  const upperCase = `0x${from.slice(2).toUpperCase()}`;
  const mixedCase = `0x${to.slice(2).toUpperCase().replace('C', 'c')}`;
  const payment = read(upperCase, mixedCase);
  expect(payment).toMatchObject({ from, to });
  expect(transferData(payment)).toBe(transferData(read(from, to)));
  expect(authorizationForm.keyOf(terms, payment)).toBe(authorizationForm.keyOf(terms, read(from, to)));
});

const valid = {
  signature: `0x${'11'.repeat(65)}`,
  authorization: { from, to, value: '20000', validAfter: '0', validBefore: '1', nonce: `0x${'ab'.repeat(32)}` },
};
const withField = (name: string, value: unknown) => ({
  ...valid,
  authorization: { ...valid.authorization, [name]: value },
});
const largest = (2n ** 256n - 1n).toString();

test.each([
  [withField('from', 7), 'payload.authorization.from: must be an address.'],
  [withField('from', `${from}00`), 'payload.authorization.from: must be an address.'],
  [withField('from', [from]), 'payload.authorization.from: must be an address.'],
  [withField('to', undefined), 'payload.authorization.to: must be an address.'],
  [withField('value', (2n ** 256n).toString()), 'payload.authorization.value: exceeds uint256.'],
  [withField('value', '01'), 'payload.authorization.value: must be a decimal integer string.'],
  [withField('validAfter', '-1'), 'payload.authorization.validAfter: must be a decimal integer string.'],
  [withField('nonce', `0x${'ab'.repeat(31)}`), 'payload.authorization.nonce: must be 0x and 64 hex digits.'],
  [withField('nonce', [`0x${'ab'.repeat(32)}`]), 'payload.authorization.nonce: must be 0x and 64 hex digits.'],
  [{ ...valid, signature: '0x' }, 'payload.signature: must be 1 to 2048 bytes in hex.'],
  [{ ...valid, signature: `0x${'11'.repeat(2_049)}` }, 'payload.signature: must be 1 to 2048 bytes in hex.'],
  [{ ...valid, signature: '0x111' }, 'payload.signature: must be 1 to 2048 bytes in hex.'],
])('rejects a malformed payload with the path of the field (%#)', (payload, issue) => {
  expect(() => authorizationForm.read(payload)).toThrow(
    `PAYMENT-SIGNATURE contains no EIP-3009 authorization: ${issue}`,
  );
});

test('accepts the largest uint256 and a signature of 2,048 bytes', () => {
  expect(authorizationForm.read(withField('value', largest)).value).toBe(2n ** 256n - 1n);
  const signature = `0x${'11'.repeat(2_048)}` as const;
  expect(authorizationForm.read({ ...valid, signature })).toMatchObject({ signature });
});

test('sets wasWrapped only for an ERC-6492 signature', () => {
  const inner = `0x${'22'.repeat(70)}` as const;
  const wrapped = encodeAbiParameters(parseAbiParameters('address, bytes, bytes'), [to, '0x', inner]);
  const signature = `${wrapped}${'6492'.repeat(16)}`;
  expect(authorizationForm.read({ ...valid, signature })).toMatchObject({ signature: inner, wasWrapped: true });
  expect(authorizationForm.read(valid)).not.toHaveProperty('wasWrapped');
});

test('the key of a payment is network, asset, payer and nonce in lower case', () => {
  const key = authorizationForm.keyOf(terms, authorizationForm.read(valid));
  expect(key).toBe(`eip155:8453|${to}|${from}|0x${'ab'.repeat(32)}`.toLowerCase());
});

test('strip keeps only the fields of the scheme', () => {
  const payment = authorizationForm.read(valid);
  expect(authorizationForm.strip?.({ ...withField('memo', 'x'), more: 1 })).toEqual(valid);
  expect([authorizationForm.payerOf(payment), authorizationForm.expiresAt?.(payment)]).toEqual([from, 1n]);
});

test.each([
  ['0 of a key becomes 27', `${'11'.repeat(64)}00`, `${'11'.repeat(64)}1b`],
  ['1 of a key becomes 28', `${'11'.repeat(64)}01`, `${'11'.repeat(64)}1c`],
  ['27 stays', `${'11'.repeat(64)}1b`, `${'11'.repeat(64)}1b`],
  ['2 stays', `${'11'.repeat(64)}02`, `${'11'.repeat(64)}02`],
  [
    "1 of a Safe's approved hash stays",
    `${'00'.repeat(12)}${'11'.repeat(52)}01`,
    `${'00'.repeat(12)}${'11'.repeat(52)}01`,
  ],
  ['the last byte of a longer signature stays', `${'11'.repeat(65)}00`, `${'11'.repeat(65)}00`],
])('behavior: v: %s', (_name, signature, expected) => {
  const payment = authorizationForm.read({ ...valid, signature: `0x${signature}` });
  expect(payment.signature).toBe(`0x${expected}`);
});

test('behavior: the ledger keeps the signature as it was sent', () => {
  const signature = `0x${'11'.repeat(64)}00`;
  expect(authorizationForm.strip({ ...valid, signature })).toMatchObject({ signature });
});

test('a key signature with an r that begins with a zero gets the v that USDC requires', () => {
  const r = `0${'a'.repeat(63)}`;
  const keySignature = `0x${r}${'b'.repeat(64)}`;
  expect(authorizationForm.read({ ...valid, signature: `${keySignature}00` }).signature).toBe(`${keySignature}1b`);
  expect(authorizationForm.read({ ...valid, signature: `${keySignature}01` }).signature).toBe(`${keySignature}1c`);
  // Longer than a signature of a key.
  expect(authorizationForm.read({ ...valid, signature: `${keySignature}0011` }).signature).toBe(`${keySignature}0011`);
});

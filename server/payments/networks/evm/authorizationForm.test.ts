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

test('default: addresses are taken as they are signed: with checksum, or in small letters', () => {
  expect(read(from, to)).toMatchObject({ from, to });
  expect(read(from.toLowerCase(), to.toLowerCase())).toMatchObject({ from: from.toLowerCase(), to: to.toLowerCase() });
});

test('behavior: in any other letter case it is the same payment, and can be sent', () => {
  const shouted = `0x${from.slice(2).toUpperCase()}`;
  const tilted = `0x${to.slice(2).toUpperCase().replace('C', 'c')}`;
  const payment = read(shouted, tilted);
  expect(payment).toMatchObject({ from, to });
  expect(transferData(payment)).toBe(transferData(read(from, to)));
  expect(authorizationForm.keyOf(terms, payment)).toBe(authorizationForm.keyOf(terms, read(from, to)));
});

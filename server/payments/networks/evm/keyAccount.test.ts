import fc from 'fast-check';
import { keccak256, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { type FacilitatorTransaction, openKeyAccount } from './keyAccount.ts';
import { openNative, openWasm, type Secp256k1 } from './secp256k1.ts';

const wei = fc.bigInt({ min: 0n, max: 10n ** 24n });
/** Call data of lengths around those at which RLP's prefix changes, and of the length of a group of 64 payments. */
const data = fc
  .constantFrom(0, 1, 54, 55, 56, 255, 256, 600, 18_600)
  .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
const transactions: fc.Arbitrary<FacilitatorTransaction> = fc.record(
  {
    type: fc.constant('eip1559' as const),
    chainId: fc.constantFrom(1, 137, 8453, 42161),
    nonce: fc.nat(),
    to: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes)),
    data: data.map((bytes) => toHex(bytes)),
    gas: fc.bigInt({ min: 21_000n, max: 3_000_000n }),
    value: fc.constant(0n),
    maxFeePerGas: wei,
    maxPriorityFeePerGas: fc.constant(0n),
  },
  // `to` is optional: a group creates a contract.
  { requiredKeys: ['type', 'chainId', 'nonce', 'data', 'gas', 'value', 'maxFeePerGas', 'maxPriorityFeePerGas'] },
);

async function expectSameBytesAsViem(curve: Secp256k1): Promise<void> {
  await fc.assert(
    fc.asyncProperty(transactions, async (transaction) => {
      const key = generatePrivateKey();
      const [own, expected] = [openKeyAccount(key, curve), privateKeyToAccount(key)];
      expect(own.address).toBe(expected.address);
      const raw = await expected.signTransaction(transaction);
      expect(own.sign(transaction)).toEqual({ raw, hash: keccak256(raw) });
    }),
    { numRuns: 300 },
  );
}

test("default: address and signed bytes with the native addon equal viem's", async () => {
  const native = openNative();
  expect(native).toBeDefined();
  if (native) await expectSameBytesAsViem(native);
});

test("behavior: address and signed bytes with WebAssembly equal viem's", async () => {
  await expectSameBytesAsViem(await openWasm());
});

import fc from 'fast-check';
import { toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { type FacilitatorTransaction, openKeyAccount } from './keyAccount.ts';
import { openNative, openWasm, type Secp256k1 } from './secp256k1.ts';

const wei = fc.bigInt({ min: 0n, max: 10n ** 24n });
const transactions: fc.Arbitrary<FacilitatorTransaction> = fc.record({
  type: fc.constant('eip1559' as const),
  chainId: fc.constantFrom(1, 137, 8453, 42161),
  nonce: fc.nat(),
  to: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes)),
  data: fc.uint8Array({ maxLength: 600 }).map((bytes) => toHex(bytes)),
  gas: fc.bigInt({ min: 21_000n, max: 3_000_000n }),
  value: fc.constant(0n),
  maxFeePerGas: wei,
  maxPriorityFeePerGas: fc.constant(0n),
});

async function expectViemsBytes(curve: Secp256k1): Promise<void> {
  await fc.assert(
    fc.asyncProperty(transactions, async (transaction) => {
      const key = generatePrivateKey();
      const [own, viems] = [openKeyAccount(key, curve), privateKeyToAccount(key)];
      expect(own.address).toBe(viems.address);
      expect(own.sign(transaction)).toBe(await viems.signTransaction(transaction));
    }),
    { numRuns: 60 },
  );
}

test("default: address and signed bytes are viem's, to the byte", async () => {
  const native = openNative();
  expect(native).toBeDefined();
  if (native) await expectViemsBytes(native);
});

test('behavior: WebAssembly, where there is no addon, signs the same', async () => {
  await expectViemsBytes(await openWasm());
});

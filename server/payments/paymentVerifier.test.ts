import { expect, test } from 'vitest';
import { ChainUnreachableError } from './chainCall.ts';
import { PaymentNetworkMismatchError } from './networkMismatch.ts';
import { checkAtStart } from './paymentVerifier.ts';

function checked(check: () => Promise<unknown>, isUnreachable?: (error: unknown) => error is Error) {
  const warnings: object[] = [];
  const logger = { info: () => {}, warn: (facts: object) => void warnings.push(facts), error: () => {} };
  return { done: checkAtStart({ network: 'eip155:8453', logger }, check, isUnreachable), warnings };
}

test('waits for the check of a network', async () => {
  let isChecked = false;
  const { done, warnings } = checked(async () => {
    await new Promise(setImmediate);
    isChecked = true;
  });
  await done;
  expect(isChecked).toBe(true);
  expect(warnings).toEqual([]);
});

test('the service starts without a network whose nodes do not answer', async () => {
  const { done, warnings } = checked(() => Promise.reject(new ChainUnreachableError('No node answered.')));
  await done;
  expect(warnings).toEqual([{ network: 'eip155:8453', cause: 'No node answered.' }]);
});

test('the service does not start with another network or an error of the code', async () => {
  const mismatch = new PaymentNetworkMismatchError('The RPC serves chain 1.');
  await expect(checked(() => Promise.reject(mismatch)).done).rejects.toBe(mismatch);
  const isRange = (error: unknown): error is Error => error instanceof RangeError;
  await checked(() => Promise.reject(new RangeError('down')), isRange).done;
  const unreachable = new ChainUnreachableError('No node answered.');
  await expect(checked(() => Promise.reject(unreachable), isRange).done).rejects.toBe(unreachable);
});

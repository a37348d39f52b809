import { expect, test } from 'vitest';
import { openScripted } from '../../tests/support/scriptedNetwork.ts';
import { createGasAllowance } from './gasAllowance.ts';

test('one budget for all contract wallets, in millionths of a US dollar', async () => {
  const { ledger, context, stores, lines, close } = await openScripted();
  const allowance = createGasAllowance(ledger, 0.5, context.logger);
  expect(await allowance.take(500_000)).toBeUndefined();
  const again = createGasAllowance(ledger, 0.5, context.logger);
  expect(await again.take(250_000)).toBeGreaterThan(1_700_000);
  await allowance.refund(400_000);
  expect(await again.take(390_000)).toBeUndefined();
  const rows = await stores.database.read.selectFrom('gas_budgets').select('class').execute();
  expect(rows).toEqual([{ class: 'contract wallets' }]);
  expect(lines).toEqual([]);
  await close();
});

test('a refund that cannot be stored is logged and never rejects; taking rejects', async () => {
  const { context, lines, close } = await openScripted();
  const failure = new Error('PostgreSQL does not answer.');
  const failing = { takeGas: () => Promise.reject(failure), returnGas: () => Promise.reject(failure) };
  const allowance = createGasAllowance(failing, 0.5, context.logger);
  await allowance.refund(1);
  expect(lines).toMatchObject([{ level: 'error', facts: { err: failure } }]);
  await expect(allowance.take(1)).rejects.toBe(failure);
  await close();
});

import { decodePaymentResponseHeader } from '@x402/core/http';
import { expect, test } from 'vitest';
import { answerTo, attemptOf, openPayWorld, price } from './payWorld.ts';

test.each([
  ['polygon', 'eip155:137'],
  ['arbitrum', 'eip155:42161'],
] as const)('default: a payment on %s settles in the real USDC of that chain', async (name, network) => {
  const world = await openPayWorld(name);
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));

  const admission = await cashier.admit(attempt);
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo(name));

  expect(decodePaymentResponseHeader(admission.paymentResponse)).toMatchObject({ success: true, network });
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: answerTo(name) });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  expect(await world.usdcOf(world.payTo)).toBe(price);
  await close();
  await world.close();
});

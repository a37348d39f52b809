import { decodePaymentResponseHeader } from '@x402/core/http';
import { expect, test } from 'vitest';
import { answerTo, attemptOf, openPaymentFixture, price } from './paymentFixture.ts';

test.each([
  ['polygon', 'eip155:137'],
  ['arbitrum', 'eip155:42161'],
] as const)('default: settles a payment on %s in the USDC of that chain', async (name, network) => {
  const fixture = await openPaymentFixture(name);
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));

  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo(name));

  expect(decodePaymentResponseHeader(decision.paymentResponse)).toMatchObject({ success: true, network });
  expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay', answer: answerTo(name) });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  expect(await fixture.usdcOf(fixture.payTo)).toBe(price);
  await close();
  await fixture.close();
});

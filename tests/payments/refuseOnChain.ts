import type { PaymentPayload } from '@x402/core/types';
import type { PrivateKeyAccount } from 'viem/accounts';
import { expect } from 'vitest';
import type { PaymentService } from '../../server/payments/index.ts';
import { attemptOf, type PaymentFixture } from './paymentFixture.ts';

/** Empties the wallet while the facilitator's transaction is pending. Expects a refusal of the failed payment. */
export async function refuseOnChain(
  fixture: PaymentFixture,
  paymentService: PaymentService,
  payer: PrivateKeyAccount,
  payload: PaymentPayload,
): Promise<void> {
  const drain = await fixture.signAltered(paymentService, payer, { to: fixture.walletOf('facilitator').address });
  await fixture.rpc('evm_setAutomine', [false]);
  const decision = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  await fixture.sendByThirdParty(drain, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  expect(await decision).toMatchObject({ kind: 'refuse', status: 402 });
  await fixture.rpc('evm_setAutomine', [true]);
}

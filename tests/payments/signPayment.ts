import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import type { Address, Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { SandboxChain } from '../../sandbox/index.ts';
import type { PaymentService } from '../../server/payments/index.ts';

/** Fields to change in the client's authorization before it is signed. */
export interface AuthorizationChanges {
  to?: Address;
  value?: bigint;
  validAfter?: bigint;
  validBefore?: bigint;
  nonce?: Hex;
}

/** The payload that the published client signs for a challenge. */
export async function signPayment(paymentService: PaymentService, account: PrivateKeyAccount): Promise<PaymentPayload> {
  const payer = registerExactEvmScheme(new x402Client(), { signer: account });
  return payer.createPaymentPayload(decodePaymentRequiredHeader(paymentService.challenge('quote').header));
}

/** The ledger key of an EVM payment. */
export function ledgerKeyOf({ accepted, payload }: PaymentPayload): string {
  const { from, nonce } = (payload as { authorization: { from: string; nonce: string } }).authorization;
  return [accepted.network, accepted.asset, from, nonce].join('|').toLowerCase();
}

/** Signs an authorization with changed fields, which the published client does not support. */
export async function signAltered(
  chain: SandboxChain,
  paymentService: PaymentService,
  account: PrivateKeyAccount,
  changes: AuthorizationChanges,
): Promise<PaymentPayload> {
  const payload = await signPayment(paymentService, account);
  const { authorization: signed } = payload.payload as { authorization: Record<string, string> };
  const authorization = {
    from: account.address,
    to: changes.to ?? (signed.to as Address),
    value: changes.value ?? BigInt(signed.value ?? 0),
    validAfter: changes.validAfter ?? BigInt(signed.validAfter ?? 0),
    validBefore: changes.validBefore ?? BigInt(signed.validBefore ?? 0),
    nonce: changes.nonce ?? (signed.nonce as Hex),
  };
  const signature = await account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: chain.chainId, verifyingContract: chain.usdc },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });
  const { value, validAfter, validBefore } = authorization;
  const wire = { ...authorization, value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` };
  return { ...payload, payload: { authorization: wire, signature } };
}

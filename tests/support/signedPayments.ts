import { encodePaymentSignatureHeader } from '@x402/core/http';
import { authorizationTypes } from '@x402/evm';
import { type Address, getAddress, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestAuthorization } from './evmChain.ts';

export const price = 20_000n;
export const asset = getAddress('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913');
export const payTo = getAddress(`0x${'fe'.repeat(20)}`);
export const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: asset } as const;
/** When each history starts. */
export const startMs = 1_800_000_000_000;

/** A key for tests. */
export const keyOf = (index: number): Hex => `0x${(index + 1).toString(16).padStart(64, '0')}`;
export const payerOf = (wallet: number): Address => privateKeyToAccount(keyOf(100 + wallet)).address;

/** A payment that a wallet has signed, and its PAYMENT-SIGNATURE. */
export interface SignedPayment {
  authorization: TestAuthorization;
  accepted: object;
  signature: string;
}

/** Signs payments once for all histories, which start at the same time. @param lifetimes seconds until `validBefore` */
export async function signPayments(wallets: readonly number[], lifetimes: readonly number[]): Promise<SignedPayment[]> {
  const extra = { name: 'USD Coin', version: '2', paymentFlow: 'upfront' };
  const terms = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: String(price),
    asset,
    payTo,
    maxTimeoutSeconds: 180,
  };
  return Promise.all(
    wallets.map(async (wallet, index) => {
      const account = privateKeyToAccount(keyOf(100 + wallet));
      const seconds = startMs / 1_000;
      const authorization = {
        from: account.address,
        to: payTo,
        value: price,
        validAfter: BigInt(seconds - 600),
        validBefore: BigInt(seconds + (lifetimes[index] ?? 180)),
        nonce: keyOf(1_000 + index),
      };
      const signature = await account.signTypedData({
        domain,
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message: authorization,
      });
      return { authorization, accepted: { ...terms, extra }, signature };
    }),
  );
}

export const headerOf = ({ authorization, accepted, signature }: SignedPayment): string => {
  const { value, validAfter, validBefore } = authorization;
  const wire = { ...authorization, value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` };
  return encodePaymentSignatureHeader({
    x402Version: 2,
    accepted,
    payload: { authorization: wire, signature },
  } as never);
};

import type { PaymentPayload } from '@x402/core/types';
import {
  type Account,
  type Chain,
  encodeFunctionData,
  type Hex,
  type HttpTransport,
  type PrivateKeyAccount,
  parseAbi,
  type WalletClient,
} from 'viem';
import type { SandboxChain } from '../../sandbox/index.ts';

const authorizationAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
]);

/**
 * Transactions that use an authorization without the service, sent by `funder`. The functions do not wait until the
 * transaction is mined.
 */
export function createThirdParty(funder: WalletClient<HttpTransport, Chain, Account>, chain: SandboxChain) {
  const send = (data: Hex, tip = 1_000_000_000n): Promise<Hex> =>
    funder.sendTransaction({
      to: chain.usdc,
      data,
      gas: 200_000n,
      maxPriorityFeePerGas: tip,
      maxFeePerGas: 4n * tip,
    });

  /** Executes the signed transfer. */
  function sendByThirdParty(payload: PaymentPayload, tip?: bigint): Promise<Hex> {
    const { authorization, signature } = payload.payload as {
      authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', Hex>;
      signature: Hex;
    };
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const data = encodeFunctionData({
      abi: authorizationAbi,
      functionName: 'transferWithAuthorization',
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
    });
    return send(data, tip);
  }

  /** Cancels the authorization with the payer's signature. */
  async function sendCancel(payer: PrivateKeyAccount, payload: PaymentPayload, tip?: bigint): Promise<Hex> {
    const { authorization } = payload.payload as { authorization: { nonce: Hex } };
    const message = { authorizer: payer.address, nonce: authorization.nonce };
    const signature = await payer.signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: chain.chainId, verifyingContract: chain.usdc },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message,
    });
    const data = encodeFunctionData({
      abi: authorizationAbi,
      functionName: 'cancelAuthorization',
      args: [message.authorizer, message.nonce, signature],
    });
    return send(data, tip);
  }

  return { sendByThirdParty, sendCancel };
}

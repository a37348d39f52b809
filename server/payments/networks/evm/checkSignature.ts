import { decodeFunctionResult, encodeFunctionData, type Hex, toHex } from 'viem';
import { type ChainCall, ChainUnreachableError, JsonRpcError, toQuantity } from '../../chainCall.ts';
import type { PayloadOutcome } from '../../facilitator.ts';
import { authorizationDigest, recoverSigner, type SignedAuthorization } from './authorization.ts';
import { bytes } from './nodeAnswers.ts';
import { refusalOfNodeError } from './revertReason.ts';
import { contractWalletAbi } from './usdcAbi.ts';

/** The value that ERC-1271's `isValidSignature` returns for a valid signature. */
const erc1271MagicValue = '0x1626ba7e';
/** Gas limit of `isValidSignature`, which runs untrusted code. WebAuthn in Solidity uses about 250,000. */
const walletGas = 300_000n;

const invalid = (detail: string): PayloadOutcome => ({
  kind: 'invalid',
  reason: 'invalid_exact_evm_signature',
  detail,
});

const rejectedByWallet = ({ from }: SignedAuthorization): PayloadOutcome =>
  invalid(`The contract wallet ${from} rejects the signature (ERC-1271). Sign the authorization again with its owner.`);

/** Cached, because recovery takes 50 µs and the settlement needs the result again. */
const signedByKey = new WeakMap<SignedAuthorization, boolean>();

/** Whether the payer's key signed the authorization. Needs no RPC. */
export function isSignedByKey(separator: Hex, payment: SignedAuthorization): boolean {
  const known = signedByKey.get(payment);
  if (known !== undefined) return known;
  const signer = recoverSigner(authorizationDigest(separator, payment), payment.signature);
  const isSigned = signer === payment.from.toLowerCase();
  signedByKey.set(payment, isSigned);
  return isSigned;
}

/**
 * Whether the payer signed the authorization. An EOA's signature is recovered in this process, without RPC. Otherwise, if
 * the payer has code, the contract wallet verifies the signature (ERC-1271) with limited gas.
 *
 * The recovery runs on the event loop: with 200 concurrent payments it takes 0.2 of the 10 ms of CPU for each, and the
 * loop's p99 delay was the same with and without it (160 to 380 ms, on two cores under a load of 20 to 30).
 *
 * Wallets that are not deployed yet (ERC-6492) are refused, because settling would require a call of a factory that the
 * payer chooses. Deployed wallets may still use an ERC-6492 signature.
 */
export async function checkSignature(
  call: ChainCall,
  separator: Hex,
  payment: SignedAuthorization,
): Promise<PayloadOutcome> {
  if (isSignedByKey(separator, payment)) return { kind: 'valid' };
  const digest = authorizationDigest(separator, payment);
  try {
    const code = await call('eth_getCode', [payment.from, 'latest'], bytes);
    if (code === '0x') {
      return invalid(
        payment.wasWrapped
          ? 'The paying wallet is not deployed on this network. Deploy it first, or pay from another wallet.'
          : `The signature is not by ${payment.from} for this authorization. Sign it with that wallet's key and the EIP-712 domain in the 402.`,
      );
    }
    const data = encodeFunctionData({
      abi: contractWalletAbi,
      functionName: 'isValidSignature',
      args: [toHex(digest), payment.signature],
    });
    const reply = await call('eth_call', [{ to: payment.from, data, gas: toQuantity(walletGas) }, 'latest'], bytes);
    if (reply.length === 66) {
      const returned = decodeFunctionResult({ abi: contractWalletAbi, functionName: 'isValidSignature', data: reply });
      if (returned === erc1271MagicValue) return { kind: 'valid' };
    }
    return rejectedByWallet(payment);
  } catch (error) {
    if (error instanceof ChainUnreachableError) return { kind: 'unavailable' };
    if (!(error instanceof JsonRpcError)) throw error;
    if (!refusalOfNodeError(error)) return { kind: 'unavailable' };
    return rejectedByWallet(payment);
  }
}

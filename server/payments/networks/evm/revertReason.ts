import { decodeErrorResult, type Hex, isHex } from 'viem';
import type { JsonRpcError } from '../../chainCall.ts';

/** Why the token rejects a transfer: x402's code, and a sentence for the payer. */
export interface TransferRefusal {
  reason: string;
  detail: string;
}

const errorStringAbi = [{ type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] }] as const;

/**
 * Revert texts of FiatTokenV2_2 (`EIP3009.sol`, `FiatTokenV1.sol`, `Blacklistable.sol`, `Pausable.sol`) and the x402
 * code of each. Only `used or canceled` leaves open whether the money moved.
 */
const knownReverts: readonly (readonly [text: string, refusal: TransferRefusal])[] = [
  [
    'authorization is used or canceled',
    {
      reason: 'invalid_exact_evm_nonce_already_used',
      detail:
        'This authorization has been used or cancelled on chain. Look up whether it paid before you sign a new one with a fresh nonce.',
    },
  ],
  [
    'authorization is expired',
    {
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
      detail: 'The authorization has expired (validBefore). Sign a new one.',
    },
  ],
  [
    'authorization is not yet valid',
    {
      reason: 'invalid_exact_evm_payload_authorization_valid_after',
      detail: 'The authorization is not valid yet (validAfter). Sign one that is valid now.',
    },
  ],
  [
    'invalid signature',
    {
      reason: 'invalid_exact_evm_signature',
      detail: 'The token rejects the signature for this payer. Sign the authorization with the key of `from`.',
    },
  ],
  [
    'exceeds balance',
    {
      reason: 'invalid_exact_evm_insufficient_balance',
      detail: 'The paying wallet holds less USDC than the price on this network. Fund it, or pay from another wallet.',
    },
  ],
];

const otherRevert: TransferRefusal = {
  reason: 'invalid_exact_evm_transaction_simulation_failed',
  detail:
    'The token rejects this transfer (a blocked account, or a paused token). Pay from another wallet or on another network.',
};

/** The message of an `Error(string)`; undefined for anything else. */
function revertText(data: unknown): string | undefined {
  if (!isHex(data) || !data.startsWith('0x08c379a0')) return undefined;
  try {
    return decodeErrorResult({ abi: errorStringAbi, data: data as Hex }).args[0];
  } catch {
    // The contract chooses its revert data; an invalid Error(string) is still a revert.
    return undefined;
  }
}

const toRefusal = (text: string): TransferRefusal =>
  knownReverts.find(([known]) => text.includes(known))?.[1] ?? otherRevert;

/** The refusal for the revert data of a transfer. */
export const refusalOfRevertData = (data: Hex): TransferRefusal => toRefusal(revertText(data) ?? '');

/** The refusal for a node's error; undefined if it is not a revert, because then the payment may be valid. */
export function refusalOfNodeError(error: JsonRpcError): TransferRefusal | undefined {
  return error.isRevert ? toRefusal(revertText(error.data) ?? error.answer) : undefined;
}

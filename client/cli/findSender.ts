import type { PrivateKeyAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { UsageError } from './usageError.ts';

/**
 * The account of TRUEFILL_KEY, which sends transactions and pays their gas.
 * @throws {UsageError} the key is missing or is not the key of an EVM account
 */
export function findSender(env: Record<string, string | undefined>): PrivateKeyAccount {
  const key = env.TRUEFILL_KEY?.trim() ?? '';
  if (!/^0x[0-9a-fA-F]{64}$/.test(key))
    throw new UsageError('Set TRUEFILL_KEY to the private key of the sending account: 0x and 64 hexadecimal digits.');
  try {
    return privateKeyToAccount(key as `0x${string}`);
  } catch {
    // The library's message may contain the key.
    throw new UsageError(
      'TRUEFILL_KEY is not a valid private key, although its format is right. Nothing was sent. Copy the key again.',
    );
  }
}

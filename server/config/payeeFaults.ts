import { openKeyAccount } from '../payments/networks/evm/keyAccount.ts';
import { feePayerAddress } from '../payments/networks/svm/feePayerKey.ts';
import { solanaUsdc } from '../payments/usdc.ts';
import type { LiveConfig } from './configTypes.ts';
import { findKnownContract, isSolanaProgram } from './knownContracts.ts';

/** Faults of payees that would lose the payments: a token, a program, or the hot key that only pays gas. */
export function payeeFaults({
  payToEvm,
  facilitatorKeyEvm,
  solana,
}: Pick<LiveConfig, 'payToEvm' | 'facilitatorKeyEvm' | 'solana'>): string[] {
  const known = findKnownContract(payToEvm);
  return [
    ...(known ? [`PAY_TO_EVM is ${known}, which keeps what it receives: set the address of your wallet`] : []),
    ...(facilitatorKeyEvm && openKeyAccount(facilitatorKeyEvm).address.toLowerCase() === payToEvm.toLowerCase()
      ? [`PAY_TO_EVM is the address of FACILITATOR_KEY_EVM, ${hotKey}`]
      : []),
    ...(solana ? solanaFaults(solana) : []),
  ];
}

const hotKey =
  'whose key is on this server: set the address of another wallet, so that a stolen key cannot take the revenue';

function solanaFaults({ payTo, facilitatorKey }: NonNullable<LiveConfig['solana']>): string[] {
  if (payTo === solanaUsdc)
    return ["PAY_TO_SVM is USDC's mint, which keeps what it receives: set the address of your wallet"];
  if (isSolanaProgram(payTo))
    return ['PAY_TO_SVM is a program, which keeps what it receives: set the address of your wallet'];
  return facilitatorKey && feePayerAddress(facilitatorKey) === payTo
    ? [`PAY_TO_SVM is the address of FACILITATOR_KEY_SVM, ${hotKey}`]
    : [];
}

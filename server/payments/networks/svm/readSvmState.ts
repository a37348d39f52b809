import { type Address, getBase64Encoder } from '@solana/kit';
import type { SettlementObstacle, SettlementState } from '../../settlementState.ts';
import { tokenProgram } from './findTransfer.ts';
import { accountData, balance } from './nodeAnswers.ts';
import type { SvmVerifier } from './svmVerifier.ts';

/** Lamports that an account without data must keep to be rent-exempt. */
const rentExemptLamports = 890_880;
/** Lamports: two signatures, and the largest priority fee that our limits allow. */
const maxFeeLamports = 20_000n;
/** Offset of `state` in an account of the SPL Token program, and its value for a frozen account. */
const stateOffset = 108;
const frozen = 2;

const confirmed = { commitment: 'confirmed' };
const dataRequest = (destination: Address) =>
  ['getAccountInfo', [destination, { ...confirmed, encoding: 'base64' }], accountData] as const;

/** A closed or frozen token account accepts no transfer. */
function findPayeeObstacle(account: { owner: string; data: readonly [string, string] } | null) {
  if (account?.owner !== tokenProgram) return 'payee_blocked';
  return getBase64Encoder().encode(account.data[0])[stateOffset] === frozen ? 'payee_blocked' : undefined;
}

/** The obstacles that also stop a remote facilitator. @throws {ChainUnreachableError} @throws {JsonRpcError} */
export async function readPayeeObstacle({
  chain,
  destination,
}: Pick<SvmVerifier, 'chain' | 'destination'>): Promise<SettlementObstacle | undefined> {
  const { value } = await chain.callVerified(...dataRequest(await destination));
  return findPayeeObstacle(value);
}

/**
 * Reads in one batch whether our account can settle a payment.
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function readSvmState(
  { chain, destination }: Pick<SvmVerifier, 'chain' | 'destination'>,
  feePayer: Address,
): Promise<SettlementState> {
  const [{ value: lamports }, { value: account }] = await chain.callAllVerified(
    ['getBalance', [feePayer, confirmed], balance],
    dataRequest(await destination),
  );
  const spendable = BigInt(lamports) - BigInt(rentExemptLamports);
  const settlements = spendable > 0n ? spendable / maxFeeLamports : 0n;
  const obstacle = findPayeeObstacle(account) ?? (settlements < 1n ? 'no_gas' : undefined);
  // The largest fee that our limits allow costs less than a call.
  return { obstacle, settlements, gasCost: undefined };
}

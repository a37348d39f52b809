import {
  type Address,
  address,
  createSolanaRpc,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  mainnet,
} from '@solana/kit';
import {
  findAssociatedTokenPda,
  getTransferCheckedInstructionDataDecoder,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { Transfer } from './chainBook.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import { keyOfMessage } from './payments.ts';

async function tokenAccountOf({ solana }: ChaosWorld, owner: string): Promise<Address> {
  const mint = address(solana.usdc);
  const [at] = await findAssociatedTokenPda({ owner: address(owner), mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  return at;
}

const rpcOf = ({ solana }: ChaosWorld) => createSolanaRpc(mainnet(solana.rpcUrl));

/** What a wallet's token account holds, raw units. */
export async function solanaUsdcOf(world: ChaosWorld, owner: string): Promise<bigint> {
  const { value } = await rpcOf(world)
    .getTokenAccountBalance(await tokenAccountOf(world, owner))
    .send();
  return BigInt(value.amount);
}

/** The position of the transferred units' account in `TransferChecked`: source, mint, destination, authority. */
const destinationAt = 2;
const pageSize = 500;

/**
 * Every transfer to payTo's token account that succeeded, out of the transactions that it took part in.
 * @throws {TypeError} when one of them pays us in no way, or twice
 */
export async function readSolanaTransfers(world: ChaosWorld): Promise<Transfer[]> {
  const rpc = rpcOf(world);
  const own = await tokenAccountOf(world, world.svmPayTo);
  const transfers: Transfer[] = [];
  const listed = [...(await rpc.getSignaturesForAddress(own, { limit: pageSize }).send())];
  for (let more = listed; more.length === pageSize; listed.push(...more)) {
    const { signature: before } = more.at(-1) as (typeof more)[number];
    more = [...(await rpc.getSignaturesForAddress(own, { limit: pageSize, before }).send())];
  }
  for (const { signature, err } of listed) {
    if (err !== null) continue;
    const landed = await rpc
      .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
      .send();
    if (!landed) throw new TypeError(`${signature} is listed and not to be had.`);
    const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(landed.transaction[0]));
    const { instructions, staticAccounts } = getCompiledTransactionMessageDecoder().decode(messageBytes);
    const paying = instructions.filter(
      ({ programAddressIndex, accountIndices }) =>
        staticAccounts[programAddressIndex] === TOKEN_PROGRAM_ADDRESS &&
        staticAccounts[accountIndices?.[destinationAt] ?? -1] === own,
    );
    const [data] = paying.map((instruction) => instruction.data);
    if (paying.length !== 1 || !data) throw new TypeError(`${signature} is no payment.`);
    const { amount } = getTransferCheckedInstructionDataDecoder().decode(data);
    transfers.push({ key: keyOfMessage(new Uint8Array(messageBytes)), value: amount, transaction: signature });
  }
  return transfers;
}

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
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import { keyOfMessage } from './payments.ts';
import type { Transfer } from './transfer.ts';

async function tokenAccountOf({ solana }: ChaosEnvironment, owner: string): Promise<Address> {
  const mint = address(solana.usdc);
  const [tokenAccount] = await findAssociatedTokenPda({
    owner: address(owner),
    mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  return tokenAccount;
}

const rpcOf = ({ solana }: ChaosEnvironment) => createSolanaRpc(mainnet(solana.rpcUrl));

/** Balance of a wallet's token account, in raw units. */
export async function solanaUsdcOf(environment: ChaosEnvironment, owner: string): Promise<bigint> {
  const { value } = await rpcOf(environment)
    .getTokenAccountBalance(await tokenAccountOf(environment, owner))
    .send();
  return BigInt(value.amount);
}

/** Index of the destination in the accounts of `TransferChecked`: source, mint, destination, authority. */
const destinationIndex = 2;
const pageSize = 500;

/**
 * Reads every successful transfer to payTo's token account.
 * @throws {TypeError} for a transaction that does not contain exactly one transfer to it
 */
export async function readSolanaTransfers(environment: ChaosEnvironment): Promise<Transfer[]> {
  const rpc = rpcOf(environment);
  const payToAccount = await tokenAccountOf(environment, environment.svmPayTo);
  const transfers: Transfer[] = [];
  const listed = [...(await rpc.getSignaturesForAddress(payToAccount, { limit: pageSize }).send())];
  for (let page = listed; page.length === pageSize; listed.push(...page)) {
    const { signature: before } = page.at(-1) as (typeof page)[number];
    page = [...(await rpc.getSignaturesForAddress(payToAccount, { limit: pageSize, before }).send())];
  }
  for (const { signature, err } of listed) {
    if (err !== null) continue;
    const transaction = await rpc
      .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
      .send();
    if (!transaction) throw new TypeError(`${signature} is listed, but getTransaction returned null.`);
    const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(transaction.transaction[0]));
    const { instructions, staticAccounts } = getCompiledTransactionMessageDecoder().decode(messageBytes);
    const toPayTo = instructions.filter(
      ({ programAddressIndex, accountIndices }) =>
        staticAccounts[programAddressIndex] === TOKEN_PROGRAM_ADDRESS &&
        staticAccounts[accountIndices?.[destinationIndex] ?? -1] === payToAccount,
    );
    const [data] = toPayTo.map((instruction) => instruction.data);
    if (toPayTo.length !== 1 || !data)
      throw new TypeError(`${signature} has ${toPayTo.length} transfers to payTo, not 1.`);
    const { amount } = getTransferCheckedInstructionDataDecoder().decode(data);
    transfers.push({ key: keyOfMessage(new Uint8Array(messageBytes)), value: amount, transaction: signature });
  }
  return transfers;
}

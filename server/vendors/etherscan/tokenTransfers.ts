import { z } from 'zod';
import type { FetchOptions, LowerAddress } from '../ports.ts';
import { assertToken } from '../transport/assertToken.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address, count, hash } from '../transport/wire.ts';
import { fetchEtherscan } from './etherscanQuery.ts';

const transfers = z
  .array(
    z.object({
      blockNumber: count,
      timeStamp: count,
      hash,
      from: address,
      to: address.or(z.literal('')),
      contractAddress: address,
    }),
  )
  .max(1_000);

export type EtherscanTransfer = z.infer<typeof transfers>[number];

/** Fetches `account/tokentx` of one token, in the requested order. @throws {VendorUnavailableError} */
export async function fetchTokenTransfers(
  client: VendorClient,
  query: { token: LowerAddress; holder?: LowerAddress; sort: 'asc' | 'desc'; limit: number },
  options: FetchOptions,
): Promise<EtherscanTransfer[]> {
  const { token, holder, sort, limit } = query;
  const params = { contractaddress: token, ...(holder && { address: holder }), page: '1', offset: String(limit), sort };
  const found = await fetchEtherscan(
    client,
    { module: 'account', action: 'tokentx', params, result: transfers },
    options,
  );
  for (const { contractAddress } of found ?? []) assertToken(client.label, token, contractAddress);
  return found ?? [];
}

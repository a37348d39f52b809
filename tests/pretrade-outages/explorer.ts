import {
  type Address,
  createPublicClient,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  keccak256,
  numberToHex,
  type PublicClient,
  parseAbiItem,
  toHex,
  zeroAddress,
} from 'viem';

interface Held {
  address: Address;
  value: bigint;
}

const transferTopic = keccak256(toHex('Transfer(address,address,uint256)'));
const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

const readTransfers = (chain: PublicClient, address: Address) =>
  chain.getLogs({ address, event: transferEvent, fromBlock: 0n });

/** Holders with a balance, largest first. As in explorers, a token whose balanceOf fails has no holders. */
async function readHolders(chain: PublicClient, token: Address): Promise<Held[]> {
  const logs = await readTransfers(chain, token);
  const wallets = new Set(logs.flatMap(({ args }) => [args.from ?? zeroAddress, args.to ?? zeroAddress]));
  wallets.delete(zeroAddress);
  const held = await Promise.all(
    [...wallets].map(async (address) => {
      const query = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] } as const;
      return { address, value: await chain.readContract(query).catch(() => 0n) };
    }),
  );
  return held.filter(({ value }) => value > 0n).sort((a, b) => (a.value < b.value ? 1 : -1));
}

/**
 * A block explorer of the local chain, with responses as in Blockscout's documentation. It reads the chain without code of
 * the service.
 */
export function explorerOf(rpcUrl: string): (path: string, query: URLSearchParams) => Promise<unknown> {
  const chain = createPublicClient({ transport: http(rpcUrl, { batch: { batchSize: 500 } }) });
  const transfersOf = (token: Address) => readTransfers(chain, token);

  /** Holders at the latest block only: the service requests several pages of one token at once. */
  const cached = new Map<string, Promise<Held[]>>();
  async function holdersOf(token: Address): Promise<Held[]> {
    const key = `${token} ${await chain.getBlockNumber({ cacheTime: 0 })}`;
    const known = cached.get(key) ?? readHolders(chain, token);
    cached.clear();
    cached.set(key, known);
    return known;
  }

  return async (path, query) => {
    const [kind, subject, detail] = path.replace('/api/v2/', '').split('/') as [string, Hex, string | undefined];
    if (path === '/api') {
      const token = query.get('address') as Address;
      const logs = (await transfersOf(token)).slice(0, 10);
      if (logs.length === 0) return { status: '0', message: 'No logs found', result: [] };
      const result = await Promise.all(
        logs.map(async (log) => ({
          address: token.toLowerCase(),
          topics: [transferTopic, null, null, null],
          blockNumber: numberToHex(log.blockNumber),
          timeStamp: numberToHex((await chain.getBlock({ blockNumber: log.blockNumber })).timestamp),
          transactionHash: log.transactionHash,
        })),
      );
      return { status: '1', message: 'OK', result };
    }
    if (kind === 'tokens' && detail === 'holders') {
      const items = (await holdersOf(subject)).slice(0, 50);
      return { items: items.map(({ address, value }) => ({ address: { hash: address }, value: value.toString() })) };
    }
    if (kind === 'tokens') {
      return { address_hash: subject, holders_count: String((await holdersOf(subject)).length), type: 'ERC-20' };
    }
    if (kind === 'transactions') {
      const { from } = await chain.getTransaction({ hash: subject });
      return { hash: subject, from: { hash: getAddress(from) } };
    }
    if (kind === 'addresses' && detail === 'token-transfers') {
      const token = query.get('token') as Address;
      const sent = (await transfersOf(token)).filter(({ args }) => args.from === getAddress(subject)).reverse();
      const items = await Promise.all(
        sent.slice(0, 50).map(async ({ blockNumber }) => {
          const { timestamp } = await chain.getBlock({ blockNumber });
          return {
            block_number: Number(blockNumber),
            timestamp: new Date(Number(timestamp) * 1000).toISOString(),
            from: { hash: subject },
            token: { address_hash: token },
          };
        }),
      );
      return { items };
    }
    if (kind === 'addresses') {
      const [first] = await transfersOf(subject);
      const sender = first && (await chain.getTransaction({ hash: first.transactionHash })).from;
      return { hash: subject, creator_address_hash: sender ? getAddress(sender) : null };
    }
    return undefined;
  };
}

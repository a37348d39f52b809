import { type Address, encodeAbiParameters, type Hex, numberToHex, parseAbiParameters } from 'viem';
import { type RpcCall, type RpcEndpoint, type RpcReply, toLowerAddress } from '../../engine/index.ts';

/** A tenth of the pools have this token. */
export const popularToken = toLowerAddress(numberToHex(1, { size: 20 }));

const range = 10_000;
const createdTopic = '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9';
const word = (value: bigint): Hex => numberToHex(value, { size: 32 });

/** A node in this process whose logs contain `pools` pools of one factory in `blocks` blocks. It accepts 10,000 blocks. */
export function createFactoryNode({ blocks, pools, factory }: { blocks: number; pools: number; factory: Address }) {
  /** Two unlisted tokens, so that the index keeps each pool. */
  function logsOf(from: number, to: number) {
    const [first, last] = [from, to + 1].map((block) => Math.ceil((block * pools) / blocks)) as [number, number];
    return Array.from({ length: Math.max(0, last - first) }, (_, at) => {
      const pool = BigInt(first + at);
      const token = pool % 10n === 0n ? 1n : (pool << 64n) + 7n;
      const data = encodeAbiParameters(parseAbiParameters('address, uint256'), [
        numberToHex((pool << 80n) + 9n, { size: 20 }),
        pool,
      ]);
      const block = numberToHex(Math.min(to, Math.max(from, Math.floor((Number(pool) * blocks) / pools))));
      return {
        address: factory,
        topics: [createdTopic, word(token), word((pool << 70n) + 8n)],
        data,
        blockNumber: block,
        logIndex: '0x0',
        blockHash: word(pool),
        transactionHash: word(pool),
      };
    });
  }

  function reply({ method, params }: RpcCall): RpcReply {
    if (method === 'eth_getCode') return { result: '0x01' };
    if (method === 'eth_getBlockByNumber') {
      const number = params[0] === 'latest' ? blocks : Number(params[0]);
      return { result: { number: numberToHex(number), hash: word(BigInt(number)), timestamp: numberToHex(number) } };
    }
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    const to = toBlock === 'latest' ? blocks : Number(toBlock);
    if (to - Number(fromBlock) >= range) return { error: { code: -32_005, message: `limited to ${range} blocks` } };
    return { result: logsOf(Number(fromBlock), to) };
  }

  let requests = 0;
  const endpoint: RpcEndpoint = {
    label: 'factory-node-1',
    async send(calls) {
      requests += 1;
      return calls.map(reply);
    },
  };
  return {
    endpoint,
    get requests() {
      return requests;
    },
  };
}

import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { headerHash } from './headerHash.ts';

const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`;
const emptyTrie = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

/** Ethereum's first block. */
const genesis = {
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  parentHash: zeros(32),
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: zeros(20),
  stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
  transactionsRoot: emptyTrie,
  receiptsRoot: emptyTrie,
  logsBloom: zeros(256),
  difficulty: '0x400000000',
  number: '0x0',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  timestamp: '0x0',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  mixHash: zeros(32),
  nonce: '0x0000000000000042',
};

/** What anvil 1.7.1 returned for its first block after each fork. */
const london = {
  ...genesis,
  hash: '0x6d98bbfdd11d77ec597d290ec2447bbb7560a0c58c7e9383532fdc861ce14a51',
  parentHash: '0x1cedf0a50649fcbea04f8f94424367336c22f1f98fd2d0b4811482a68e99981b',
  stateRoot: '0x9c8eaf493f8b4edce2ba1647343eadcc0989cf461e712c0a6253ff2ca1842bb7',
  mixHash: '0x98764666557212cf55ae0aea239a419848f3122b74c7711bab4a6f9b80e5b83d',
  ...{ difficulty: '0x0', number: '0x1', gasLimit: '0x1c9c380', gasUsed: '0x0', timestamp: '0x6b49d200' },
  ...{ extraData: '0x', nonce: zeros(8), baseFeePerGas: '0x3b9aca00' },
  ...{ totalDifficulty: '0x0', size: '0x202', uncles: [], transactions: [] },
};
const shanghai = {
  ...london,
  hash: '0xb67564d2e52760fabfc62de0dad1f1ff63c9f42eb6e24206ba3164aaeed1a971',
  parentHash: '0x01876408ee40cfa97d4d38917fbbb0d3e2982b8715d2a834931bd510bc90c9c0',
  mixHash: '0x3cfcf7a535ade33e1c2fc78f74347819940848158a8d0fd40fc8f305f5319ba0',
  ...{ withdrawalsRoot: emptyTrie, withdrawals: [], size: '0x223' },
};
const cancun = {
  ...shanghai,
  hash: '0xa9da986d32c08f078bedd42d609fab0947b510c54d0c4b204224d2b9bc3968d8',
  parentHash: '0xb9fa60cfc57083b3bb9f6844216b641600c03eca8e7c33de547ed7293d2e80fa',
  mixHash: '0xf8fc9ce12f901ad1f52c77f52714608481b0069e60e873670eb28a5e31757f96',
  ...{ blobGasUsed: '0x0', excessBlobGas: '0x0', parentBeaconBlockRoot: zeros(32), size: '0x246' },
};
const prague = {
  ...cancun,
  hash: '0x347e5071dd5d1535d76d4ac45de4fad8b8a4d1ec55e3c3fe9ac03cbf5479ada3',
  parentHash: '0xbf48bc3c82308c9f095294b82fb69a9d32425e21de16ef725a531fd6ff2d8c9c',
  stateRoot: '0x47fdbf84d610eff0858f35b79bbd6705a39c52f88b530a323366269e0fa330e1',
  mixHash: '0x9c7547bc70719921817372573d94631efa18e262396c9664846c3eed216995cb',
  ...{ requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', size: '0x267' },
};

test.each(Object.entries({ genesis, london, shanghai, cancun, prague }))(
  'computes the hash of a header: %s',
  (_, header) => {
    expect(headerHash(header, {})).toBe(header.hash);
  },
);

test('leading zeros of a quantity, and fields outside the hash, change nothing', () => {
  const padded = { ...prague, number: '0x0001', gasLimit: '0x01c9c380', timestamp: '0x006b49d200' };
  expect(headerHash({ ...padded, l1BlockNumber: '0x7', sendRoot: zeros(32), author: zeros(20) }, {})).toBe(prague.hash);
});

test('every hashed field changes the hash', () => {
  const { hash, totalDifficulty: _, size: _size, ...fields } = prague;
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value !== 'string') continue;
    const changed =
      value === '0x' || value === '0x0' ? '0x01' : value.replace(/.$/, (digit) => (digit === '1' ? '2' : '1'));
    expect([undefined, hash], field).not.toContain(headerHash({ ...prague, [field]: changed }, {}));
  }
});

test.each([
  ['a field of an unknown fork', { ...prague, nextForkRoot: zeros(32) }],
  ['a missing field', { ...prague, stateRoot: undefined }],
  ['a later field without the ones before it', { ...shanghai, blobGasUsed: '0x0', withdrawalsRoot: undefined }],
  ['a field that is no hex', { ...prague, stateRoot: `0x${'zz'.repeat(32)}` }],
  ['text before the hex', { ...prague, stateRoot: ` ${prague.stateRoot}` }],
  ['text after the hex', { ...prague, stateRoot: `${prague.stateRoot} .` }],
  ['a number', { ...prague, stateRoot: 7 }],
  ['half a byte', { ...prague, extraData: '0x1' }],
])('%s gives no hash', (_, header) => {
  expect(headerHash(header, {})).toBeUndefined();
});

test('the hash of the last header is kept, and that of another one is computed', () => {
  const cache = {};
  expect(headerHash(prague, cache)).toBe(prague.hash);
  expect(cache).toEqual({ last: { header: JSON.stringify(prague), hash: prague.hash } });
  Object.assign(cache, { last: { header: JSON.stringify(prague), hash: '0x07' } });
  expect(headerHash({ ...prague }, cache)).toBe('0x07');
  expect(headerHash(cancun, cache)).toBe(cancun.hash);
});

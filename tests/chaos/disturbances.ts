import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { lieAboutChain, lieAboutHeader, lieInsideCalls, type RpcFault, type RpcProxy } from '../../sandbox/index.ts';
import type { Misdeed, Path } from '../payment/strangerFacilitator.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import type { Dice } from './dice.ts';

const rpcFaults = (dice: Dice): RpcFault =>
  dice.pick<RpcFault>([
    { kind: 'drop' },
    { kind: 'loseReply' },
    { kind: 'truncate' },
    { kind: 'halfClose' },
    { kind: 'delay', ms: dice.between(50, 2_500) },
    { kind: 'status', status: 500, body: 'oops' },
    { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
    { kind: 'html' },
    { kind: 'hang' },
    { kind: 'flood', bytes: 12_000_000 },
    { kind: 'rewrite', reply: (text) => text.replace(/"result":"0x[0-9a-f]+"/, '"result":"0x"') },
    { kind: 'rewrite', reply: () => '{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"limit exceeded"}}' },
    lieAboutHeader((header) => ({ ...header, timestamp: '0x1' })),
    lieInsideCalls(2, (block) => block + 1n),
    lieAboutChain(1),
  ]);

const misdeeds = (dice: Dice): Misdeed =>
  dice.pick<Misdeed>([
    { kind: 'drop' },
    { kind: 'drop', after: true },
    { kind: 'html' },
    { kind: 'html', after: true },
    { kind: 'slow', ms: dice.between(100, 4_000) },
    { kind: 'say', body: { success: false, errorReason: 'unexpected_settle_error' }, after: true },
    { kind: 'say', body: { success: true, transaction: `0x${'ab'.repeat(32)}`, network: 'eip155:137' } },
    { kind: 'say', body: { isValid: true } },
    { kind: 'say', status: 500, body: {} },
  ]);

/** What was done, how often. */
export type Done = Record<string, number>;

/**
 * Hurts one thing after the other until `until`, by the dice. Everything is up and honest again when it resolves.
 *
 * @returns transactions that a reorganisation has taken off the chain
 */
export async function disturb(world: ChaosWorld, dice: Dice, until: number, done: Done): Promise<Set<Hex>> {
  const { postgres, seats, stranger, rpc, chains } = world;
  const proxies: RpcProxy[] = [...rpc.base, ...rpc.polygon];
  const reorged = new Set<Hex>();

  function breakNodes(some: readonly RpcProxy[], share: number): void {
    for (const proxy of some) proxy.fault = () => (dice.chance(share) ? rpcFaults(dice) : undefined);
  }
  function calmNodes(): void {
    for (const proxy of proxies) {
      proxy.fault = () => undefined;
      // It counts what it sees; nobody reads it here.
      proxy.requests.length = 0;
    }
    stranger.misdeed = () => undefined;
  }
  const passing = (ms: number) => sleep(Math.max(0, Math.min(ms, until - Date.now())));

  /** What fails around the house. */
  const around: Record<string, () => Promise<void>> = {
    async 'a node of Base fails now and then'() {
      breakNodes([dice.pick(rpc.base)], 0.6);
      await passing(dice.between(2_000, 6_000));
    },
    async 'both nodes of Base fail now and then'() {
      breakNodes(rpc.base, 0.25);
      await passing(dice.between(2_000, 6_000));
    },
    async 'no node of Base answers'() {
      for (const proxy of rpc.base) proxy.fault = () => ({ kind: 'drop' });
      await passing(dice.between(1_000, 3_000));
    },
    async 'the node of Polygon fails now and then'() {
      breakNodes(rpc.polygon, 0.3);
      await passing(dice.between(2_000, 5_000));
    },
    async 'the facilitator elsewhere misbehaves'() {
      stranger.misdeed = (path: Path) => (path !== '/supported' && dice.chance(0.6) ? misdeeds(dice) : undefined);
      await passing(dice.between(3_000, 7_000));
    },
    async 'Base drops its last blocks'() {
      const depth = dice.between(1, 3);
      const head = Number(await world.node<Hex>(chains.base, 'eth_blockNumber'));
      for (let block = head - depth + 1; block <= head + 1; block += 1) {
        const found = await world.node<{ transactions: Hex[] } | null>(chains.base, 'eth_getBlockByNumber', [
          `0x${block.toString(16)}`,
          false,
        ]);
        for (const hash of found?.transactions ?? []) reorged.add(hash);
      }
      await world.node(chains.base, 'anvil_reorg', [depth, []]);
      await passing(2_000);
    },
    async 'nothing happens'() {
      await passing(dice.between(1_000, 3_000));
    },
  };
  /** What fails in it. Both go on side by side, each one thing after the other. */
  const inside: Record<string, () => Promise<void>> = {
    async 'a replica is killed, and comes back'() {
      const seat = dice.pick(seats);
      await seat.kill();
      await passing(dice.between(500, 8_000));
      await seat.start();
    },
    async 'all replicas are killed at once'() {
      await Promise.all(seats.map((seat) => seat.kill()));
      await Promise.all(seats.map((seat) => seat.start()));
    },
    async 'the database loses its power'() {
      await postgres.crash();
      await passing(dice.between(200, 3_000));
      await postgres.restart();
    },
    async 'the database loses its power while a replica dies'() {
      const seat = dice.pick(seats);
      await Promise.all([postgres.crash(), seat.kill()]);
      await passing(dice.between(200, 2_000));
      await postgres.restart();
      await seat.start();
    },
  };

  async function goOn(acts: typeof around): Promise<void> {
    const names = Object.keys(acts);
    while (Date.now() < until) {
      const name = dice.pick(names);
      await acts[name]?.();
      if (acts === around) calmNodes();
      done[name] = (done[name] ?? 0) + 1;
      await passing(dice.between(200, 1_500));
    }
  }
  await Promise.all([goOn(around), goOn(inside)]);
  calmNodes();
  await Promise.all(seats.map((seat) => seat.start()));
  return reorged;
}

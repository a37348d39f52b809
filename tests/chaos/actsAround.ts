import type { Hex } from 'viem';
import { dropBlocks } from './dropBlocks.ts';
import { misbehaving } from './misdeeds.ts';
import { careless, dead, lagging, nowAndThen, ofAnotherNetwork, slow, unconfirmed } from './nodeFaults.ts';
import type { PayChain } from './payments.ts';
import type { NodeSpell } from './spells.ts';
import type { Acts, Stage } from './stage.ts';

/** What fails around the house. @param reorged told what a reorganisation has taken off the chain */
export function actsAround({ world, dice, spells, passing }: Stage, reorged: Set<Hex>): Acts {
  const anyChain = () => dice.pick<PayChain>(['base', 'base', 'polygon', 'solana', 'solana']);
  async function cast(chain: PayChain, spell: NodeSpell, ms: number, which?: readonly number[]): Promise<void> {
    // Now and then one replica alone sees it so, and the others know better.
    const whose = dice.chance(0.25) ? [dice.pick(world.seats)] : world.seats;
    const lift = spells.castOnNodes(chain, spell, { whose, ...(which && { which }) });
    await passing(ms);
    lift();
  }
  let dropping: Promise<void> = Promise.resolve();
  return {
    async 'one of a chain’s nodes fails now and then'() {
      const chain = dice.pick<PayChain>(['base', 'solana']);
      await cast(chain, nowAndThen(dice, chain, 0.6), dice.between(2_000, 6_000), [dice.between(0, 1)]);
    },
    async 'all nodes of a chain fail now and then'() {
      const chain = anyChain();
      await cast(chain, nowAndThen(dice, chain, 0.25), dice.between(2_000, 6_000));
    },
    async 'no node of a chain answers'() {
      await cast(anyChain(), dead, dice.between(1_000, 4_000));
    },
    async 'the nodes of a chain are slow'() {
      await cast(anyChain(), slow(dice), dice.between(2_000, 6_000));
    },
    async 'nodes are careless with transactions'() {
      await cast(dice.pick<PayChain>(['base', 'solana']), careless(dice), dice.between(4_000, 9_000));
    },
    async 'nodes lag behind'() {
      await cast(anyChain(), lagging, dice.between(2_000, 7_000));
    },
    async 'Solana confirms late'() {
      await cast('solana', unconfirmed, dice.between(3_000, 9_000));
    },
    async 'a node becomes one of another network'() {
      await cast(anyChain(), ofAnotherNetwork, dice.between(2_000, 5_000), [0]);
    },
    async 'Solana runs ahead, and payments in hand grow too old'() {
      world.solana.skipSlots(dice.between(20, 160));
      await passing(1_000);
    },
    async 'the facilitator elsewhere misbehaves'() {
      const lift = spells.castOnStranger(misbehaving(dice, 0.6));
      await passing(dice.between(3_000, 7_000));
      lift();
    },
    async 'Base drops its last blocks'() {
      // Two at once would be one that nobody could tell from the outside.
      dropping = dropping.then(async () => {
        for (const hash of await dropBlocks(world, world.chains.base, dice)) reorged.add(hash);
      });
      await dropping;
      await passing(2_000);
    },
    async 'nothing happens'() {
      await passing(dice.between(1_000, 3_000));
    },
  };
}

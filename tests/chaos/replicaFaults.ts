import type { FaultContext, FaultScenarios } from './faultContext.ts';
import type { ManagedReplica } from './managedReplica.ts';
import { isBroadcast } from './nodeFaults.ts';

/** Timeout of the wait for a broadcast. */
const broadcastTimeoutMs = 6_000;

/** Scenarios that kill replicas. */
export function replicaCrashes({ environment: { replicas }, random, injector, wait }: FaultContext): FaultScenarios {
  /** Kills the replica that broadcasts a payment. @param isForwarded whether the request reaches its target */
  async function killAtBroadcast(isForwarded: boolean): Promise<void> {
    let victim: ManagedReplica | undefined;
    const killOnce = (replica: ManagedReplica): boolean => {
      if (victim && victim !== replica) return false;
      victim = replica;
      void replica.kill();
      return true;
    };
    const name = isForwarded ? 'sender killed after the broadcast' : 'sender killed before the broadcast';
    const clears = (['base', 'solana'] as const).map((chain) =>
      injector.addNodeFault(chain, (calls, replica) =>
        isBroadcast(calls) && killOnce(replica)
          ? { name, fault: { kind: isForwarded ? 'loseReply' : 'drop' } }
          : undefined,
      ),
    );
    clears.push(
      injector.addFacilitatorFault((path, replica) =>
        path === '/settle' && killOnce(replica) ? { name, fault: { kind: 'drop', after: isForwarded } } : undefined,
      ),
    );
    for (let waited = 0; waited < broadcastTimeoutMs && !victim; waited += 100) await wait(100);
    for (const clear of clears) clear();
    await wait(random.between(300, 3_000));
    await Promise.all(replicas.map((replica) => replica.start()));
  }

  return {
    async 'a replica is killed and restarts'() {
      const replica = random.pick(replicas);
      await replica.kill();
      await wait(random.between(500, 8_000));
      await replica.start();
    },
    'a replica is killed between journal and broadcast': () => killAtBroadcast(false),
    'a replica is killed right after the broadcast': () => killAtBroadcast(true),
    async 'all replicas are killed at once'() {
      await Promise.all(replicas.map((replica) => replica.kill()));
      await Promise.all(replicas.map((replica) => replica.start()));
    },
  };
}

/** Longer than the lease, so that other replicas take over the paused replica's payments. In milliseconds. */
const beyondLeaseMs = [22_000, 27_000] as const;

/** Pauses of replicas and outages of the database. */
export function outages({ environment: { replicas, postgres }, random, wait }: FaultContext): FaultScenarios {
  const pauses: FaultScenarios = {
    async 'a replica pauses for longer than its lease'() {
      const replica = random.pick(replicas);
      replica.freeze();
      await wait(random.between(...beyondLeaseMs));
      replica.thaw();
    },
  };
  if (!postgres) return pauses;
  return {
    ...pauses,
    async 'the database crashes'() {
      await postgres.crash();
      await wait(random.between(200, 3_000));
      await postgres.restart();
    },
    async 'the database is down for longer than a lease'() {
      await postgres.crash();
      await wait(random.between(...beyondLeaseMs));
      await postgres.restart();
    },
    async 'the database crashes while a replica is killed'() {
      const replica = random.pick(replicas);
      await Promise.all([postgres.crash(), replica.kill()]);
      await wait(random.between(200, 2_000));
      await postgres.restart();
      await replica.start();
    },
  };
}

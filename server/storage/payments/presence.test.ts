import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHistoryDatabase } from '../../../tests/support/paymentReplicas.ts';
import { useVirtualTime, type VirtualTime } from '../../../tests/support/virtualTime.ts';
import { registerReplica } from './presence.ts';

let time: VirtualTime;
let store: Awaited<ReturnType<typeof openHistoryDatabase>>;
beforeAll(async () => {
  time = useVirtualTime(1_000_000);
  store = await openHistoryDatabase(time.now);
});
afterAll(async () => {
  time.restore();
  await store.close();
});

async function within<T>(work: Promise<T>): Promise<T> {
  await time.advance(10);
  return work;
}

test('behavior: a replica on a shared database renews its lease often enough to miss four renewals', async () => {
  const renewedAt: number[] = [];
  const begun = time.now();
  const database = {
    ...store.database,
    isShared: true,
    write: ((work) => {
      renewedAt.push(time.now() - begun);
      return store.database.write(work);
    }) as typeof store.database.write,
  };
  const presence = await within(registerReplica(database, time.now, 20_000));
  await time.advance(19_990);
  // The first write takes the lease.
  expect(renewedAt).toEqual([0, 4_000, 8_000, 12_000, 16_000, 20_000]);
  await within(presence.close());
});

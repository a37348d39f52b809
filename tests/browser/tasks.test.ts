import { afterAll, describe, expect, test } from 'vitest';
import { splitLink } from './answerLinks.ts';
import { chromiumPath } from './siteBrowser.ts';
import { keyboardUser, nextBelow, type TaskUser, touchUser } from './taskUser.ts';
import { useDroppingSite } from './useSite.ts';

// Tasks of a new user, by keyboard only on a desktop and by touch only on a phone. docs/design/site.md has the figures.

const setup = useDroppingSite();

interface Task {
  name: string;
  /** Where it starts; default: the home page. */
  path?: string;
  run(user: TaskUser): Promise<void>;
  /** The most steps by keyboard and by touch. */
  steps: [keyboard: number, touch: number];
}

const buy = ({ page }: TaskUser) => page.locator('#try-form .buy');

/** Finds a passage of the documentation by the search. */
const look = (words: string, passage: RegExp) => async (user: TaskUser) => {
  await user.search(words);
  const passages = user.page.locator('main :is(p, td, li, pre)').filter({ hasText: passage });
  await user.await(passages.first());
  await user.bringIntoView(await nextBelow(passages));
};

const tasks: Task[] = [
  {
    name: 'buy a quote',
    steps: [8, 4],
    async run(user) {
      await user.fill(user.page.getByLabel('Size, in whole tokens'), '3');
      await user.submit(buy(user));
      await user.await(user.page.locator('#try-answer .headline'));
      await user.bringIntoView(user.page.locator('#try-answer .headline'));
    },
  },
  {
    name: 'read what a split means',
    path: `/${splitLink}`,
    steps: [2, 3],
    run: (user) => user.bringIntoView(user.page.getByText('The order is split')),
  },
  {
    name: 'find why a token is dangerous',
    steps: [11, 4],
    async run(user) {
      await user.activate(user.page.getByLabel('Is it a trap?'));
      await user.fill(user.page.getByLabel('Token on Base'), 'DRAINED');
      await user.activate(buy(user));
      await user.await(user.page.locator('#try-answer .reasons'));
      await user.bringIntoView(user.page.locator('#try-answer .reasons'));
    },
  },
  {
    name: 'recover a paid answer',
    steps: [20, 3],
    async run(user) {
      setup.proxy.dropping = true;
      await user.activate(buy(user));
      await user.await(user.page.locator('.notice.bad'));
      setup.proxy.dropping = false;
      await user.reload();
      await user.activate(user.page.getByRole('button', { name: 'Fetch the answer you paid for' }));
      await user.await(user.page.locator('#try-answer .headline'));
    },
  },
  { name: 'find what an error costs', steps: [3, 3], run: look('charged', /charged/) },
  { name: 'find how to start behind nginx with PostgreSQL', steps: [3, 3], run: look('nginx', /proxy_pass/) },
  { name: 'find the revenue of a day', steps: [3, 3], run: look('revenue', /ledger -- report/) },
  { name: 'find how to rotate a key', steps: [3, 3], run: look('rotate key', /key rotation/) },
  { name: 'find what to do about an alert', steps: [3, 3], run: look('alert', /runbook/) },
  { name: 'find how to restore a backup', steps: [3, 3], run: look('restore', /restore/) },
];

const users = { keyboard: keyboardUser, touch: touchUser };

describe.skipIf(!chromiumPath).each(['keyboard', 'touch'] as const)('by %s only', (kind) => {
  const rows: string[] = [];
  afterAll(() => {
    process.stdout.write(`\nBy ${kind}: steps, seconds\n${rows.join('\n')}\n`);
  });

  test.each(tasks)('a new user can $name', async ({ name, path = '/', run, steps }) => {
    const user = await users[kind](setup.browser, setup.proxy.url + path);
    await run(user);
    const result = user.result();
    rows.push(`${name}: ${result.steps}, ${result.seconds}`);
    expect(result.steps).toBeLessThanOrEqual(steps[kind === 'keyboard' ? 0 : 1]);
    await user.page.close();
  });
});

import type { Browser, Locator, Page } from 'playwright-core';

// Users who use only the keyboard, or only a touch screen. Each key, tap, swipe and typed text is one step.

export interface TaskUser {
  page: Page;
  /** Follows a link, presses a button, selects a radio button. */
  activate(target: Locator): Promise<void>;
  /** Presses a button of the form in whose field the user types. */
  submit(button: Locator): Promise<void>;
  /** Replaces the text of a field. */
  fill(target: Locator, text: string): Promise<void>;
  /** Scrolls until the target is on the screen. */
  bringIntoView(target: Locator): Promise<void>;
  /** Opens the page again, as after a lost connection. */
  reload(): Promise<void>;
  /** Opens the site's search, types, and opens the first result. */
  search(words: string): Promise<void>;
  /** Waits for an answer; the time counts. */
  await(target: Locator): Promise<void>;
  /** Steps, and the seconds that a person needs: the operators of the keystroke-level model, and the measured waits. */
  result(): { steps: number; seconds: number };
}

/** Seconds by the keystroke-level model (Card, Moran and Newell, 1980): a key, pointing at a target, a decision. */
const keySeconds = 0.28;
const pointSeconds = 1.1;
const decisionSeconds = 1.35;

const mostSteps = 90;

class Effort {
  steps = 0;
  seconds = 0;

  decide(): void {
    this.seconds += decisionSeconds;
  }
  step(seconds: number): void {
    this.steps += 1;
    this.seconds += seconds;
    if (this.steps > mostSteps) throw new Error(`The task took more than ${mostSteps} steps.`);
  }
  async wait(target: Locator): Promise<void> {
    const before = performance.now();
    await target.waitFor();
    this.seconds += (performance.now() - before) / 1_000;
  }
  result() {
    return { steps: this.steps, seconds: Math.round(this.seconds) };
  }
}

/** The parts of an element of a page that are used here. */
interface PageElement {
  type?: string;
  name?: string;
  ownerDocument: { activeElement: unknown; defaultView: { innerHeight: number } };
  getBoundingClientRect(): { top: number; bottom: number };
}

const read = <T>(target: Locator, of: (element: PageElement) => T): Promise<T> =>
  target.evaluate(of as unknown as (element: unknown) => T);

const isFocused = (target: Locator) => read(target, (element) => element === element.ownerDocument.activeElement);
/** The distance of the upper edge, for which a reader looks, from the top of the screen. */
const topOf = (target: Locator) => read(target, (element) => element.getBoundingClientRect().top);

const isInView = (target: Locator) =>
  read(target, (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top >= 0 && top < element.ownerDocument.defaultView.innerHeight - 24;
  });

/** Waits until the target no longer moves: the page loads, or scrolls. */
async function settle(target: Locator): Promise<void> {
  const frames = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))';
  for (let before: number | undefined, top = await topOf(target); top !== before; ) {
    await target.page().evaluate(frames);
    [before, top] = [top, await topOf(target)];
  }
}

/** Only keys, at 1440 pixels. */
export async function keyboardUser(browser: Browser, url: string): Promise<TaskUser> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 860 } });
  const effort = new Effort();
  await page.goto(url);
  const press = async (key: string) => {
    effort.step(keySeconds);
    await page.keyboard.press(key);
  };
  const type = async (text: string) => {
    effort.step(text.length * keySeconds);
    await page.keyboard.type(text);
  };
  let hasSkipped = false;
  const focus = async (target: Locator) => {
    effort.decide();
    if (!hasSkipped) {
      // The first link skips the header.
      await press('Tab');
      await press('Enter');
      hasSkipped = true;
    }
    // A group of radio buttons is one stop of Tab; arrows select in it.
    const group = await read(target, ({ type, name }) => (type === 'radio' ? String(name) : ''));
    const isThere = async () =>
      group === ''
        ? isFocused(target)
        : page.evaluate(`document.activeElement.type === 'radio' && document.activeElement.name === '${group}'`);
    while (!(await isThere())) await press('Tab');
    while (!(await isFocused(target))) await press('ArrowDown');
  };
  return {
    page,
    async activate(target) {
      await focus(target);
      if (!(await read(target, ({ type }) => type === 'radio'))) await press('Enter');
    },
    async submit() {
      effort.decide();
      await press('Enter');
    },
    async reload() {
      await page.reload();
      hasSkipped = false;
    },
    async fill(target, text) {
      await focus(target);
      await press('Control+a');
      await type(text);
    },
    async bringIntoView(target) {
      effort.decide();
      await settle(target);
      while (!(await isInView(target))) {
        await press((await topOf(target)) < 0 ? 'PageUp' : 'PageDown');
        await settle(target);
      }
    },
    async search(words) {
      effort.decide();
      await press('/');
      await page.getByRole('combobox', { name: 'Search' }).waitFor();
      await type(words);
      await page.locator('#search-0').waitFor();
      await press('Enter');
      await page.locator('.searchbox').waitFor({ state: 'detached' });
    },
    await: (target) => effort.wait(target),
    result: () => effort.result(),
  };
}

/** Only a touch screen, at 390 pixels. */
export async function touchUser(browser: Browser, url: string): Promise<TaskUser> {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const effort = new Effort();
  await page.goto(url);
  const bringIntoView = async (target: Locator) => {
    await settle(target);
    while (!(await isInView(target))) {
      effort.step(pointSeconds);
      // A swipe moves less than a screen, so that the reader does not lose the place.
      await page.evaluate(`scrollBy({ top: ${(await topOf(target)) < 0 ? -650 : 650}, behavior: 'instant' })`);
      await settle(target);
    }
  };
  const tap = async (target: Locator) => {
    effort.decide();
    await bringIntoView(target);
    effort.step(pointSeconds);
    await target.tap();
  };
  const type = async (text: string) => {
    effort.step(text.length * keySeconds);
    await page.keyboard.insertText(text);
  };
  return {
    page,
    activate: tap,
    submit: tap,
    reload: async () => {
      await page.reload();
    },
    async fill(target, text) {
      await tap(target);
      await target.selectText();
      await type(text);
    },
    async bringIntoView(target) {
      effort.decide();
      await bringIntoView(target);
    },
    async search(words) {
      await tap(page.locator('.find'));
      await page.getByRole('combobox', { name: 'Search' }).waitFor();
      await type(words);
      await page.locator('#search-0').waitFor();
      await tap(page.locator('#search-0'));
      await page.locator('.searchbox').waitFor({ state: 'detached' });
    },
    await: (target) => effort.wait(target),
    result: () => effort.result(),
  };
}

/** The first of several passages that a reader meets who reads on from here; else the last one above. */
export async function nextBelow(passages: Locator): Promise<Locator> {
  const all = await passages.all();
  for (const passage of all) if ((await topOf(passage)) >= 0) return passage;
  return all.at(-1) ?? passages.first();
}

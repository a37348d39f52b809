import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';
import { type DroppingProxy, startDroppingProxy } from './dropAnswers.ts';
import { type LiveSite, startLive } from './liveSite.ts';
import { openSiteBrowser, type SiteBrowser } from './siteBrowser.ts';

// Set-up that the tests of a file share: a browser, and a service for it.

/** A browser. */
function useBrowser() {
  let site: SiteBrowser;
  beforeAll(async () => {
    site = await openSiteBrowser();
  });
  afterAll(() => site?.close());
  return {
    get site() {
      return site;
    },
    get browser() {
      return site.browser;
    },
  };
}

/** The sandbox that `npm start` starts, and a browser. */
export function useSandboxSite() {
  const opened = useBrowser();
  let service: StartedSandbox;
  beforeAll(async () => {
    service = await startedSandbox();
  });
  afterAll(() => service?.close());
  return {
    get service() {
      return service;
    },
    get site() {
      return opened.site;
    },
    get browser() {
      return opened.browser;
    },
  };
}

/** The sandbox behind a proxy that can drop the responses to payments; reset before each test. */
export function useDroppingSite() {
  const opened = useSandboxSite();
  let proxy: DroppingProxy;
  beforeAll(async () => {
    proxy = await startDroppingProxy(opened.service.url);
  });
  beforeEach(() => Object.assign(proxy, { dropping: false, signatures: [], dropped: 0 }));
  afterAll(() => proxy?.close());
  return {
    get service() {
      return opened.service;
    },
    get browser() {
      return opened.browser;
    },
    get proxy() {
      return proxy;
    },
  };
}

/** A live service in front of local chains, and a browser. */
export function useLiveSite(options?: Parameters<typeof startLive>[0]) {
  const opened = useBrowser();
  let live: LiveSite;
  beforeAll(async () => {
    live = await startLive(options);
  });
  afterAll(() => live?.close());
  return {
    get live() {
      return live;
    },
    get site() {
      return opened.site;
    },
    get browser() {
      return opened.browser;
    },
  };
}

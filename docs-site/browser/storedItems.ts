interface StoredItem<T> {
  key: string;
  value: T;
}

interface StoredItems<T> {
  /** Oldest first; empty if the browser blocks storage. Text that another program changed is left out. */
  read(): StoredItem<T>[];
  /** @throws {DOMException} the browser stores nothing */
  add(value: T): void;
  remove(key: string): void;
  /** Calls back when another tab adds or removes an item. */
  watch(onChange: () => void): void;
}

/**
 * Values in local storage, each under a key of its own. Tabs share the storage and may see it late: a list under one key
 * would lose what another tab has written since it was read.
 */
export function storedItems<T>(prefix: string): StoredItems<T> {
  const timeOf = (key: string) => Number(key.slice(prefix.length).split('.')[0]);
  const parse = (key: string): StoredItem<T>[] => {
    try {
      return [{ key, value: JSON.parse(localStorage.getItem(key) ?? '') }];
    } catch {
      return [];
    }
  };
  return {
    read() {
      try {
        const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
        return keys.sort((a, b) => timeOf(a) - timeOf(b)).flatMap(parse);
      } catch (error) {
        if (error instanceof DOMException) return [];
        throw error;
      }
    },
    add(value) {
      localStorage.setItem(`${prefix}${Date.now()}.${Math.random().toString(36).slice(2)}`, JSON.stringify(value));
    },
    remove: (key) => localStorage.removeItem(key),
    watch(onChange) {
      addEventListener('storage', ({ key }) => {
        if (key?.startsWith(prefix)) onChange();
      });
    },
  };
}

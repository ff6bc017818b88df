/** The store of one draft. Tags identify what was saved; null stands for no draft. */
export interface DraftStore<T> {
  /** @returns the tag of what was saved. @throws what `isConflict` recognizes if the tag is not the current one. */
  save(content: T, tag: string | null, signal: AbortSignal): Promise<string>;
  remove(tag: string, signal: AbortSignal): Promise<void>;
  /** Returns what is stored; null without a draft. */
  read(signal?: AbortSignal): Promise<{ readonly content: T; readonly tag: string } | null>;
  /** Returns true if a stored content is what was sent as `sent`. */
  isSame(sent: T, stored: T): boolean;
  isConflict(error: unknown): boolean;
}

/**
 * - `saved`: nothing is left to save.
 * - `pending`: an edit waits, or is being saved.
 * - `failed`: the last attempt failed; another one follows.
 * - `conflict`: somebody else saved a draft. Nothing is saved until the person decides.
 */
export type DraftState = 'saved' | 'pending' | 'failed' | 'conflict';

/** How long edits are gathered, in ms. */
const DELAY_MS = 1_000;
/** How long after a failure the next attempt follows, in ms. */
const RETRY_MS = 5_000;
/** How long an attempt may take, in ms. */
const TIMEOUT_MS = 30_000;

/**
 * Saves the latest content soon after each edit. Requests follow one another, each conditional on the tag of the one
 * before, so an earlier content never overwrites a later one, nor that of another editor.
 *
 * Race: a request whose response is lost may have been served, also after it was given up. The next one then fails its
 * condition although nobody else has written: the store is read, and what it has is compared with what was sent.
 */
export class DraftWriter<T> {
  readonly #store: DraftStore<T>;
  #tag: string | null;
  /** What the store should have: a content, null for no draft, or undefined if it has that already. */
  #wanted: T | null | undefined;
  /** What was sent since the last response, null for a removal: the store has one of these, or what it had before. */
  #unanswered: (T | null)[] = [];
  #state: DraftState = 'saved';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #isStopped = false;
  readonly #listeners = new Set<() => void>();

  constructor(store: DraftStore<T>, tag: string | null) {
    this.#store = store;
    this.#tag = tag;
  }

  readonly readState = (): DraftState => this.#state;

  /** Returns the tag of what the store had after the last response; null for no draft. */
  readonly readTag = (): string | null => this.#tag;

  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Schedules a content to be saved, or the draft to be removed if it is null. */
  write(content: T | null): void {
    this.#wanted = content;
    if (this.#state === 'conflict' && content !== null) return;
    this.#become('pending');
    // There is nothing to gather for a removal.
    this.#schedule(content === null ? 0 : DELAY_MS);
  }

  /** Saves at once what is left. @returns whether nothing is left. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    for (;;) {
      if (this.#writing === undefined) {
        if (this.#wanted === undefined || this.#state === 'conflict') return this.#state === 'saved';
        this.#writing = this.#write(this.#wanted).finally(() => (this.#writing = undefined));
      }
      await this.#writing;
      if (this.#state === 'failed') return false;
    }
  }

  /** Ends attempts: none follows, not even after a failure of the one in flight. */
  readonly stop = (): void => {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  };

  /** Ends a conflict: replaces the draft of the other editor by the content that waits. */
  async overwrite(): Promise<void> {
    this.#tag = (await this.#store.read())?.tag ?? null;
    this.#become('pending');
    await this.flush();
  }

  /** Ends a conflict: continues with the draft of the other editor. */
  accept(tag: string | null): void {
    clearTimeout(this.#timer);
    this.#tag = tag;
    this.#wanted = undefined;
    this.#unanswered = [];
    this.#become('saved');
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.flush(), delayMs);
  }

  async #write(wanted: T | null): Promise<void> {
    this.#wanted = undefined;
    this.#become('pending');
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
    try {
      await (wanted === null ? this.#remove(abort.signal) : this.#save(wanted, abort.signal));
      this.#unanswered = [];
      if (!this.#isLeft()) this.#become('saved');
    } catch (error) {
      // An edit that came meanwhile is later than the one that failed.
      if (!this.#isLeft()) this.#wanted = wanted;
      if (this.#store.isConflict(error)) {
        this.#become('conflict');
        return;
      }
      this.#unanswered.push(wanted);
      this.#become('failed');
      this.#schedule(RETRY_MS);
    } finally {
      clearTimeout(timer);
    }
  }

  async #save(content: T, signal: AbortSignal): Promise<void> {
    try {
      this.#tag = await this.#store.save(content, this.#tag, signal);
    } catch (error) {
      if (!this.#store.isConflict(error) || !(await this.#recover(signal))) throw error;
      this.#tag = await this.#store.save(content, this.#tag, signal);
    }
  }

  async #remove(signal: AbortSignal): Promise<void> {
    if (this.#unanswered.length > 0) await this.#recover(signal);
    if (this.#tag === null) return;
    await this.#store.remove(this.#tag, signal);
    this.#tag = null;
  }

  /** Takes the tag of what the store has, if that was sent from here. @returns whether it was. */
  async #recover(signal: AbortSignal): Promise<boolean> {
    const stored = await this.#store.read(signal);
    const isOwn = this.#unanswered.some((sent) =>
      sent === null || stored === null ? sent === stored : this.#store.isSame(sent, stored.content),
    );
    if (isOwn) this.#tag = stored?.tag ?? null;
    return isOwn;
  }

  #isLeft(): boolean {
    return this.#wanted !== undefined;
  }

  #become(state: DraftState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

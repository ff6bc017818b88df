import { ListrTaskEventType, ListrTaskState, type DefaultRenderer, type ListrTaskObject } from 'listr2';

type Task = ListrTaskObject<unknown, typeof DefaultRenderer, typeof PlainRenderer>;

/** Listr's renderer without a terminal: a line for each finished step, and for its output. */
export class PlainRenderer {
  static readonly nonTTY = true;
  static rendererOptions: Record<string, never>;
  static rendererTaskOptions: Record<string, never>;

  readonly #tasks: Task[];

  constructor(tasks: Task[]) {
    this.#tasks = tasks;
  }

  render(): void {
    this.#follow(this.#tasks);
  }

  end(): void {
    // Nothing has to be removed from the screen.
  }

  #follow(tasks: Task[]): void {
    for (const task of tasks) {
      let said = '';
      task.on(ListrTaskEventType.SUBTASK, (subtasks) => this.#follow(subtasks as Task[]));
      task.on(ListrTaskEventType.OUTPUT, (output) => {
        if (output !== said) console.log(`  ${output}`);
        said = output;
      });
      task.on(ListrTaskEventType.STATE, (state) => {
        // A group adds nothing to its steps.
        if (task.hasSubtasks()) return;
        if (state === ListrTaskState.COMPLETED) console.log(`✔ ${task.title ?? ''} (${seconds(task)} s)`);
        if (state === ListrTaskState.FAILED) console.log(`✖ ${task.title ?? ''}`);
      });
    }
  }
}

function seconds(task: Task): string {
  return ((task.message.duration ?? 0) / 1000).toFixed(1);
}

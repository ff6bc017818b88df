import type { HumanTaskEntry, JsonObject } from '@deckhand/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { completeHuman, uploadFile } from '../../api/approvals.ts';
import { ApiError } from '../../api/api-error.ts';
import { UploadContext } from '../../forms/files-input.tsx';
import { toTaskForm } from '../../forms/schema.ts';
import { TaskForm } from '../../forms/task-form.tsx';
import { notify } from '../../components/notice-board.ts';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';

/** The form of a human task. Issues of a submission are shown at their fields. */
export function HumanForm({ task }: { task: HumanTaskEntry }) {
  const queryClient = useQueryClient();
  const completion = useMutation({
    mutationFn: (data: JsonObject) => completeHuman(task, data),
    async onSuccess() {
      notify(i18n.t('Form submitted. Run resumed.'));
      await queryClient.invalidateQueries({ queryKey: ['human-tasks'] });
    },
  });
  const { error } = completion;
  const upload = useCallback((file: File) => uploadFile(task, file), [task]);
  const byField = useMemo(() => issuesByField(error), [error]);
  const names = useMemo(() => new Set(toTaskForm(task.schema).fields.map(({ name }) => name)), [task.schema]);
  const isAllAtFields = byField.size > 0 && [...byField.keys()].every((name) => names.has(name));
  return (
    <UploadContext value={upload}>
      <TaskForm
        schema={task.schema}
        issues={byField}
        isPending={completion.isPending}
        isSubmitted={completion.isSuccess}
        onSubmit={completion.mutate}
      >
        <Problem error={isAllAtFields ? null : error} />
      </TaskForm>
    </UploadContext>
  );
}

/** Returns the issues of a submission by field; those of the form as a whole have an empty name. */
function issuesByField(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  return new Map(error.issues.map(({ path, message }) => [/^data\.([^.[]+)/.exec(path)?.[1] ?? '', message]));
}

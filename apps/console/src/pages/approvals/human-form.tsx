import type { HumanTaskEntry, JsonObject } from '@deckhand/contracts';
import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { completeHuman } from '../../api/approvals.js';
import { ApiError } from '../../api/api-error.js';
import { SchemaForm } from '../../forms/schema-form.js';
import { shownDefaults, toFields } from '../../forms/schema.js';
import { notify } from '../../components/notice-board.js';
import { Problem } from '../../components/problem.js';

/** The form of a human task. Issues of a submission are shown at their fields. */
export function HumanForm({ task }: { task: HumanTaskEntry }) {
  const queryClient = useQueryClient();
  const [data, setData] = useState<JsonObject>(() => shownDefaults(task.schema));
  const completion = useMutation({
    mutationFn: () => completeHuman(task, data),
    async onSuccess() {
      notify('Form submitted. Run resumed.');
      await queryClient.invalidateQueries({ queryKey: ['human-tasks'] });
    },
  });
  const { error } = completion;
  const byField = useMemo(() => issuesByField(error), [error]);
  const names = useMemo(() => new Set(toFields(task.schema).map(({ name }) => name)), [task.schema]);
  const isAllAtFields = byField.size > 0 && [...byField.keys()].every((name) => names.has(name));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        completion.mutate();
      }}
    >
      <Stack gap="sm">
        <SchemaForm schema={task.schema} value={data} issues={byField} onChange={setData} />
        <Problem error={isAllAtFields ? null : error} />
        <Button type="submit" loading={completion.isPending} disabled={completion.isSuccess} w="fit-content">
          Submit
        </Button>
      </Stack>
    </form>
  );
}

/** Returns the issues of a submission by field; those of the form as a whole have an empty name. */
function issuesByField(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  return new Map(error.issues.map(({ path, message }) => [/^data\.([^.[]+)/.exec(path)?.[1] ?? '', message]));
}

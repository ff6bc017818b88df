import { Center, Loader } from '@mantine/core';

/** Stands where something is being fetched. */
export function Loading() {
  return (
    <Center mih={240} role="status" aria-label="Loading">
      <Loader size="sm" />
    </Center>
  );
}

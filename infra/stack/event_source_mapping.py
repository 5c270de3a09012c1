"""The queue's mapping: a number that comes from a parameter stays text in the emulator.

CloudFormation makes it the number that the resource's schema asks for; here it is done by hand.
"""

from typing import Any


def number_the_concurrency(lambdas: Any, function: str) -> int:
    """Make the maximum concurrency of the function's mapping a number; which."""
    [mapping] = lambdas.list_event_source_mappings(FunctionName=function)["EventSourceMappings"]
    most = int(mapping["ScalingConfig"]["MaximumConcurrency"])
    lambdas.update_event_source_mapping(
        UUID=mapping["UUID"], ScalingConfig={"MaximumConcurrency": most}
    )
    return most
